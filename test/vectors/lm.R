# Writes lm.json: what R's lm, summary, confint, logLik, AIC and BIC say of small tables.
# Run from this folder: Rscript lm.R > lm.json (made with R 4.2.2). A perfect fit leaves R with
# residuals of pure rounding; its numbers are then for the test to bound, not to match.

source("json.R")
set.seed(20261)
n <- 60
data <- data.frame(
  x = round(rnorm(n, 10, 4), 2),
  v = round(rexp(n, 0.1) + 0.1, 3),
  u = sample(-9:9, n, TRUE),
  g = sample(c("no", "yes"), n, TRUE),
  h = sample(c("high", "low", "mid"), n, TRUE),
  k = sample(c(1, 2, 10), n, TRUE),
  w = round(rgamma(n, 2), 3),
  day = 1600000000 + 86400 * sample(0:900, n, TRUE)
)
data$w0 <- ifelse(seq_len(n) %% 7 == 0, 0, data$w)
data$y <- round(3 + 0.5 * data$x - log(data$v) + 0.3 * data$u + 2 * (data$g == "yes") + rnorm(n), 3)
data$z <- round(100 - 3 * data$x + 0.01 * data$v^2 + rnorm(n, 0, 5), 2)
data$p <- round(exp(0.1 * data$y) + 1, 4)

holes <- data
holes$x[c(3, 17, 40)] <- NA
holes$y[c(5, 17)] <- NA
holes$g[c(9, 33)] <- NA
holes$k[21] <- NA
holes$w[c(2, 50)] <- NA

three <- data.frame(y = c(1.5, 2.25, 5), x = c(1, 2, 4), w = c(1, 2, 0.5))
two <- data.frame(y = c(1.5, 2.25), x = c(1, 2))
line <- data.frame(y = c(3, 5, 7, 9, 11, 13), x = 1:6)
flat <- data.frame(y = c(2.5, 2.5, 2.5, 2.5, 2.5), x = c(1, 2, 4, 8, 16))

cases <- list(
  list("y ~ 1", "data"),
  list("y ~ x", "data"),
  list("y ~ x - 1", "data"),
  list("y ~ 0 + x + v", "data"),
  list("y ~ g - 1", "data"),
  list("y ~ h + x - 1", "data"),
  list("y ~ x + v + u + g + h", "data"),
  list("y ~ .", "data"),
  list("y ~ . - day - w0", "data"),
  list("y ~ x*g", "data"),
  list("y ~ g*h*u", "data"),
  list("y ~ (x + u + h)^2", "data"),
  list("y ~ g:h", "data"),
  list("y ~ g:x + h - 1", "data"),
  list("y ~ x + I(x^2) + I(x^3)", "data"),
  list("y ~ I((x - 10)^2) + I(x * v) + I(u / 3)", "data"),
  list("y ~ log(v) + sqrt(v) + exp(u / 5)", "data"),
  list("log(p) ~ log2(v) + log10(x + 20) + abs(u)", "data"),
  list("sqrt(p) ~ x:log(v) + g", "data"),
  list("y ~ factor(k)", "data"),
  list("y ~ factor(k)*x", "data"),
  list("y ~ k + factor(k) + factor(g)", "data"),
  list("y ~ day + x", "data"),
  list("y ~ day:g", "data"),
  list("cbind(y, z) ~ x + g", "data"),
  list("cbind(y, log(p), z) ~ x*u - 1", "data"),
  list("y ~ x + v", "data", "w"),
  list("y ~ x*g + h", "data", "w"),
  list("y ~ x + v", "data", "w0"),
  list("y ~ x + g - 1", "data", "w0"),
  list("y ~ 1", "data", "w"),
  list("cbind(y, z) ~ x + u", "data", "w0"),
  list("y ~ x + g", "holes"),
  list("y ~ x*g + factor(k)", "holes"),
  list("y ~ x + g", "holes", "w"),
  list("cbind(y, z) ~ x", "holes"),
  list("y ~ x", "three"),
  list("y ~ x", "three", "w"),
  list("y ~ x - 1", "three"),
  list("y ~ x + I(x^2)", "three"),
  list("y ~ x", "two"),
  list("y ~ 1", "two"),
  list("y ~ x", "line"),
  list("y ~ x - 1", "line"),
  list("y ~ x", "flat"),
  list("y ~ 1", "flat")
)

summary_of <- function(model) {
  one <- summary(model)
  table <- one$coefficients
  interval <- confint(model)
  f <- one$fstatistic
  freedom <- model$df.residual
  record(
    terms = list_of(text(rownames(table))),
    estimate = column(table[, 1]), error = column(table[, 2]),
    statistic = column(table[, 3]), p = column(table[, 4]),
    low = column(interval[rownames(table), 1]), high = column(interval[rownames(table), 2]),
    aliased = list_of(text(names(which(is.na(coef(model)))))),
    sigma = number(one$sigma), r2 = number(one$r.squared), adj_r2 = number(one$adj.r.squared),
    F = if (!is.null(f)) number(f[[1]]), F_df = if (!is.null(f)) number(f[[2]]),
    F_p = if (!is.null(f)) number(pf(f[[1]], f[[2]], f[[3]], lower.tail = FALSE)),
    logLik = number(c(logLik(model))), AIC = number(AIC(model)), BIC = number(BIC(model)),
    deviance = number(deviance(model)), df_residual = number(freedom), nobs = number(nobs(model)),
    dropped = number(length(model$na.action))
  )
}

text_cases <- suppressWarnings(vapply(cases, function(case) {
  table <- get(case[[2]])
  formula <- as.formula(case[[1]])
  weights <- if (length(case) == 3) table[[case[[3]]]] else NULL
  # One lm a response, each on the rows complete in all of them, as lm does with cbind().
  left <- formula[[2]]
  responses <- if (is.call(left) && left[[1]] == "cbind") as.list(left)[-1] else list(left)
  variables <- unique(c(all.vars(terms(formula, data = table)), if (length(case) == 3) case[[3]]))
  complete <- complete.cases(table[, variables])
  parts <- vapply(responses, function(response) {
    own <- formula
    own[[2]] <- response
    rows <- if (length(responses) > 1) table[complete, ] else table
    arguments <- list(own, data = rows)
    if (!is.null(weights)) arguments$weights <- rows[[case[[3]]]]
    summary_of(do.call(lm, arguments))
  }, "")
  record(formula = text(case[[1]]), table = text(case[[2]]),
         weights = if (length(case) == 3) text(case[[3]]), responses = list_of(parts))
}, ""))

tables <- c("data", "holes", "three", "two", "line", "flat")
cat('{\n  "source": ', text(paste("test/vectors/lm.R,", R.version.string)), ",\n", sep = "")
cat('  "tables": {\n', paste0("    ", text(tables), ": ",
    vapply(tables, function(name) table_of(get(name)), ""), collapse = ",\n"), "\n  },\n", sep = "")
cat('  "cases": [\n    ', paste(text_cases, collapse = ",\n    "), "\n  ]\n}\n", sep = "")
