# Writes glm-terms.json: glm() with weights and offsets, its clustered and robust errors (sandwich 3.0-2), its likelihood-ratio
# tests, and its ridge, over one table of three sites. The ridge is found by Newton's method here, and compared with glmnet
# 4.1-6 (alpha = 0, standardize = FALSE, lambda = ridge / sum of the weights), whose own tolerance is coarser.
# BIC counts the rows that nobs() counts; BIC() of R 4.2.2 also counts rows of weight 0.
# Run from this folder: Rscript glm-terms.R > glm-terms.json (made with R 4.2.2).

source("json.R")
library(sandwich)
set.seed(20281)
tight <- glm.control(epsilon = 1e-15, maxit = 200)

n <- 240
table <- data.frame(site = rep(c("a", "b", "c"), c(100, 80, 60)), x = round(rnorm(n), 3),
                    g = sample(c("i", "ii", "iii"), n, TRUE), h = round(rexp(n), 3),
                    t = round(runif(n, 0.2, 3), 2), k = sample(0:4, n, TRUE), v = round(runif(n, 0.05, 2.7), 2),
                    trials = sample(1:12, n, TRUE))
eta <- with(table, -0.3 + 0.6 * x - 0.2 * h + 0.5 * (g == "ii"))
table$y <- rbinom(n, 1, plogis(eta + 0.4 * table$t))
table$share <- rbinom(n, table$trials, plogis(eta)) / table$trials
table$count <- rpois(n, exp(0.2 + 0.5 * table$x - 0.1 * table$h) * table$t)
table$one <- ifelse(table$site == "c", 1, table$y)

fitted_glm <- function(formula, family, weights = NULL) {
  data <- table
  data$.w <- if (is.null(weights)) rep(1, n) else data[[weights]]
  first <- suppressWarnings(glm(as.formula(formula), family, data, weights = .w, control = tight))
  suppressWarnings(glm(as.formula(formula), family, data, weights = .w, control = tight, start = coef(first)))
}
errors <- function(covariance) column(unname(sqrt(diag(covariance))))
# Rows of weight 0 are not rows for us; sandwich counts them.
used <- function(fit, weights) if (is.null(weights)) rep(TRUE, n) else table[[weights]] > 0

answer <- function(formula, family, weights = NULL, drop = NULL, robust = is.null(weights) || weights != "k") {
  fit <- fitted_glm(formula, family, weights)
  s <- summary(fit)$coefficients
  tests <- lapply(drop, function(term) {
    smaller <- fitted_glm(paste(formula, "-", term), family, weights)
    test <- suppressWarnings(anova(smaller, fit, test = "LRT"))
    record(term = text(term), statistic = number(test$Deviance[2]), df = number(test$Df[2]),
           p = number(test[["Pr(>Chi)"]][2]), deviance = number(deviance(smaller)), AIC = number(AIC(smaller)))
  })
  record(formula = text(formula), family = text(fit$family$family), weights = text(weights),
         terms = list_of(text(rownames(s))), estimate = column(unname(s[, 1])), std_error = column(unname(s[, 2])),
         deviance = number(deviance(fit)), null_deviance = number(fit$null.deviance),
         logLik = number(as.numeric(logLik(fit))), AIC = number(AIC(fit)), BIC = number(-2 * as.numeric(logLik(fit)) + log(nobs(fit)) * fit$rank),
         df_residual = number(fit$df.residual), nobs = number(nobs(fit)),
         fitted = column(unname(fitted(fit)[1:5])),
         HC0 = if (robust) errors(vcovHC(fit, "HC0")), HC1 = if (robust) errors(vcovHC(fit, "HC1")),
         clustered = if (robust) errors(vcovCL(fit, table$site, type = "HC1")),
         drop = if (!is.null(drop)) list_of(unlist(tests)))
}

# Newton's method for log-likelihood - ridge/2 * |slopes|^2.
ridge_answer <- function(formula, family, ridge, weights = NULL) {
  plain <- fitted_glm(formula, family, weights)
  X <- model.matrix(plain); y <- plain$y; w <- plain$prior.weights
  o <- if (is.null(plain$offset)) rep(0, n) else plain$offset
  P <- diag(ifelse(colnames(X) == "(Intercept)", 0, ridge))
  b <- rep(0, ncol(X))
  for (k in 1:100) {
    eta <- drop(X %*% b) + o
    H <- crossprod(X, X * (w * plain$family$mu.eta(eta)))
    b <- b + solve(H + P, crossprod(X, w * (y - plain$family$linkinv(eta))) - P %*% b)
  }
  mu <- plain$family$linkinv(drop(X %*% b) + o)
  A <- solve(H + P)
  binary <- plain$family$family == "binomial"
  known <- glmnet::glmnet(X[, -1], if (binary) cbind((1 - y) * w, y * w) else y, plain$family$family,
                          weights = if (binary) rep(1, n) else w, offset = o, alpha = 0, standardize = FALSE,
                          lambda = ridge / sum(w), thresh = 1e-14)
  stopifnot(abs(c(as.numeric(known$a0), as.numeric(known$beta)) - b) < 1e-5)
  record(formula = text(formula), family = text(plain$family$family), weights = text(weights), ridge = number(ridge),
         terms = list_of(text(colnames(X))), estimate = column(drop(b)), std_error = errors(A %*% H %*% A),
         deviance = number(sum(plain$family$dev.resids(y, mu, w))))
}

cat('{\n  "source": ', text(paste("test/vectors/glm-terms.R,", R.version.string)), ',\n', sep = "")
cat('  "table": ', table_of(table), ',\n  "fits": [\n    ', sep = "")
cat(paste(c(
  answer("y ~ x + g + h", binomial, drop = c("x", "g", "h")),
  answer("y ~ x + g + h", binomial, "k", drop = c("x", "g")),
  answer("y ~ x + g + h", binomial, "v"),
  answer("share ~ x + g + h", binomial, "trials", drop = c("g")),
  answer("share ~ x + h - 1", binomial, "trials"),
  answer("count ~ x + g + h", poisson, drop = c("g", "h")),
  answer("count ~ x + g + h", poisson, "v"),
  answer("count ~ x + h - 1", poisson, "k"),
  answer("one ~ x + h", binomial)
), collapse = ",\n    "))
cat('\n  ],\n  "offsets": [\n    ')
cat(paste(c(
  answer("count ~ x + g + h + offset(log(t))", poisson, drop = c("g")),
  answer("count ~ x + g + offset(log(t))", poisson, "v"),
  answer("share ~ x + h + offset(t)", binomial, "trials"),
  answer("y ~ x + g + h + offset(0.4 * t)", binomial, "k"),
  answer("count ~ x + h + offset(log(t)) - 1", poisson)
), collapse = ",\n    "))
cat('\n  ],\n  "ridges": [\n    ')
cat(paste(c(
  ridge_answer("y ~ x + g + h", binomial, 2), ridge_answer("share ~ x + g + h", binomial, 15, "trials"),
  ridge_answer("count ~ x + g + h", poisson, 0.5), ridge_answer("count ~ x + g + h", poisson, 40, "v")
), collapse = ",\n    "))
cat("\n  ]\n}\n")
