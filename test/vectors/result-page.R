# Writes result-page.json: what R says of the pooled penguins, for every number that the page of a result shows.
# Run from this folder: Rscript result-page.R > result-page.json (made with R 4.2.2, MASS 7.3-58).
#
# perSd       slopes times SD of the column over SD of the response, as lm() of scaled columns gives them
# raw         RSS + ridge sum b_j^2, free intercept: lm() with one more row a slope, sqrt(ridge) in its column
# standardized RSS + ridge sum (b_j SD_j)^2 with population SDs: MASS::lm.ridge(lambda = ridge)
# gcv         where n RSS / (n - edf)^2 is smallest, edf counting the intercept, on the raw scale, by optimize()

suppressMessages(library(MASS))
source("json.R")
islands <- c("biscoe", "dream", "torgersen")
penguins <- do.call(rbind, lapply(islands, function(island)
  read.csv(file.path("../../examples/penguins", paste0(island, ".csv")), na.strings = c("", "NA"))))
formula <- body_mass ~ bill_length + flipper_length + sex + species
fit <- lm(formula, penguins)
x <- model.matrix(fit)[, -1]
y <- model.response(model.frame(fit))
n <- length(y)

terms <- cbind(coef(summary(fit)), confint(fit))
vif <- vapply(colnames(x), function(name) 1 / (1 - summary(lm(x[, name] ~ x[, colnames(x) != name]))$r.squared), 0)
scaled <- lm(scale(y) ~ scale(x))
per_sd <- cbind(coef(scaled), confint(scaled))[-1, ]

s <- summary(fit)
f <- s$fstatistic
glance <- c(r.squared = s$r.squared, adj.r.squared = s$adj.r.squared, sigma = s$sigma, statistic = f[[1]],
  p.value = pf(f[[1]], f[[2]], f[[3]], lower.tail = FALSE), df = f[[2]], logLik = as.numeric(logLik(fit)), AIC = AIC(fit),
  BIC = BIC(fit), deviance = deviance(fit), df.residual = df.residual(fit), nobs = n)

raw <- function(ridge) {
  more <- cbind(0, sqrt(ridge) * diag(ncol(x)))
  qr.coef(qr(rbind(cbind(1, x), more)), c(y, rep(0, ncol(x))))
}
ridges <- c(0.5, 40, 1000)
parts <- svd(sweep(x, 2, colMeans(x)))
projected <- crossprod(parts$u, y - mean(y))
rest <- sum((y - mean(y))^2) - sum(projected^2)
gcv <- function(log_ridge) {
  shrink <- exp(log_ridge) / (parts$d^2 + exp(log_ridge))
  n * (rest + sum((shrink * projected)^2)) / (n - 1 - sum(1 - shrink))^2
}
best <- optimize(gcv, log(c(1e-4, 100)), tol = 1e-10)

rows <- function(m) list_of(apply(m, 1, column))
cat('{\n  "source": ', text(paste("test/vectors/result-page.R,", R.version.string)), ",\n", sep = "")
cat('  "names": ', column(rownames(terms)), ",\n", sep = "")
cat('  "terms": ', rows(terms), ",\n", sep = "")
cat('  "vif": ', column(vif), ",\n", sep = "")
cat('  "perSd": ', rows(per_sd), ",\n", sep = "")
cat('  "correlations": ', rows(cor(cbind(x, body_mass = y))), ",\n", sep = "")
cat('  "glance": ', do.call(record, as.list(number(glance))), ",\n", sep = "")
cat('  "ridges": ', column(ridges), ",\n", sep = "")
cat('  "raw": ', list_of(vapply(ridges, function(ridge) column(raw(ridge)), "")), ",\n", sep = "")
cat('  "standardized": ', list_of(vapply(ridges, function(ridge)
  column(as.vector(coef(lm.ridge(formula, penguins, lambda = ridge)))), "")), ",\n", sep = "")
cat('  "gcv": ', record(ridge = number(exp(best$minimum)), score = number(best$objective)), "\n}\n", sep = "")
