# Writes lda.json: MASS::lda (moment estimator, priors from class sizes) on base R's iris, and on two
# of its species; posteriors by predict().
# Run from this folder: Rscript lda.R > lda.json (made with R 4.2.2, MASS 7.3-58).
#
# The ridge cases add diag(L) to the scatter within classes, Sum_k Sum (x - m_k)(x - m_k)', before it is divided by
# n - K; MASS has no such fit, so they are computed from the definition with solve().

suppressMessages(library(MASS))
source("json.R")
data <- iris
names(data) <- c("sl", "sw", "pl", "pw", "species")
two <- droplevels(data[data$species != "setosa", ])

posterior_of <- function(means, covariance, prior, x) {
  inverse <- solve(covariance)
  scores <- sapply(seq_along(prior), function(k)
    log(prior[k]) + x %*% inverse %*% means[k, ] - 0.5 * drop(means[k, ] %*% inverse %*% means[k, ]))
  scores <- exp(scores - apply(scores, 1, max))
  scores / rowSums(scores)
}
case_of <- function(formula, data, label, ridge = 0) {
  x <- model.matrix(formula, data)[, -1, drop = FALSE]
  classes <- eval(formula[[2]], data)
  if (ridge == 0) {
    fit <- lda(x, grouping = factor(classes))
    posterior <- predict(fit, x)$posterior
    means <- fit$means; prior <- fit$prior
  } else {
    classes <- factor(classes)
    means <- apply(x, 2, function(v) tapply(v, classes, mean))
    prior <- as.vector(table(classes)) / nrow(x)
    centred <- x - means[classes, ]
    covariance <- (crossprod(centred) + diag(ridge, ncol(x))) / (nrow(x) - nlevels(classes))
    posterior <- posterior_of(means, covariance, prior, x)
  }
  record(formula = text(label), ridge = number(ridge), levels = column(levels(factor(classes))), terms = column(colnames(x)),
         prior = column(as.vector(prior)), means = list_of(apply(means, 1, column)), posterior = list_of(apply(posterior, 2, column)))
}
cases <- c(
  case_of(species ~ sl + sw + pl + pw, data, "species ~ sl + sw + pl + pw"),
  case_of(species ~ sl * pw + I(sw^2), data, "species ~ sl*pw + I(sw^2)"),
  case_of(I(pl > 4.5) ~ sl + sw + pw, data, "I(pl > 4.5) ~ sl + sw + pw"),
  case_of(species ~ sl + sw + pl + pw, data, "species ~ sl + sw + pl + pw", 7.5)
)
fit <- lda(species ~ sl + sw + pl + pw, two)
scores <- predict(fit)$x[, 1]
distance <- abs(diff(tapply(scores, two$species, mean)))
cat('{\n  "source": ', text(paste("test/vectors/lda.R,", R.version.string)), ",\n", sep = "")
cat('  "table": ', table_of(data), ",\n", sep = "")
cat('  "cases": [\n    ', paste(cases, collapse = ",\n    "), "\n  ],\n", sep = "")
cat('  "two": ', record(table = table_of(two), distance = number(distance), auc = number(pnorm(distance / sqrt(2)))), "\n}\n", sep = "")
