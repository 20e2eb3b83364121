# Writes ridge.json: ridge fits by MASS::lm.ridge and glmnet, and GCV on a fine grid, of a small table.
# Run from this folder: Rscript ridge.R > ridge.json (made with R 4.2.2, MASS 7.3-58, glmnet 4.1-6).
#
# How the conventions map, for n rows and a response with population SD s:
#   --ridge L --standardize   RSS + L sum (b_j SD_j)^2, population SDs, free intercept
#                             = MASS::lm.ridge(lambda = L)
#                             = glmnet(alpha = 0, standardize = TRUE,  lambda = L s / n)
#   --ridge L                 RSS + L sum b_j^2, free intercept
#                             = glmnet(alpha = 0, standardize = FALSE, lambda = L s / n)
#                             = sklearn Ridge(alpha = L), see ridge.py
#   without an intercept      SD_j becomes the root mean square of column j, as in lm.ridge
#   --ridge gcv               minimises n RSS / (n - edf)^2, edf counting the intercept. lm.ridge's own
#                             GCV leaves the intercept out of edf and divides by n^2, so it is not compared.

suppressMessages({ library(MASS); library(glmnet) })
source("json.R")
set.seed(20262)
n <- 80
data <- data.frame(a = round(rnorm(n, 5, 3), 2), b = round(rnorm(n, 100, 20), 1))
data$c <- round(data$a + rnorm(n, 0, 0.2), 2)
data$d <- round(rexp(n, 50), 4)
data$y <- round(4 + 0.6 * data$a - 0.05 * data$b + 0.4 * data$c + 20 * data$d + rnorm(n, 0, 2), 2)
data$z <- round(1 - data$c + rnorm(n), 2)
data$w <- round(rgamma(n, 3), 2)

names_x <- c("a", "b", "c", "d")
x <- as.matrix(data[, names_x])
lambdas <- c(0.01, 0.5, 3, 40, 1000)

mass <- vapply(lambdas, function(lambda) {
  with <- coef(lm.ridge(y ~ a + b + c + d, data, lambda = lambda))
  without <- coef(lm.ridge(y ~ a + b + c + d - 1, data, lambda = lambda))
  record(lambda = number(lambda), coefficients = column(as.vector(with)), no_intercept = column(as.vector(without)))
}, "")

s <- sqrt(mean((data$y - mean(data$y))^2))
net <- vapply(c(TRUE, FALSE), function(standardize) {
  list_of(vapply(lambdas, function(lambda) {
    fit <- glmnet(x, data$y, alpha = 0, standardize = standardize, lambda = lambda * s / n,
                  thresh = 1e-26, maxit = 1e8)
    record(lambda = number(lambda), coefficients = column(as.vector(coef(fit))))
  }, ""))
}, "")

# GCV from the singular values of the centred columns: 20001 ridges over 12 decades.
gcv_of <- function(columns, response) {
  parts <- svd(columns)
  projected <- crossprod(parts$u, response)
  rest <- sum(response^2) - sum(projected^2)
  function(ridge) {
    shrink <- ridge / (parts$d^2 + ridge)
    n * (rest + sum((shrink * projected)^2)) / (n - 1 - sum(1 - shrink))^2
  }
}
gcv <- vapply(c("raw", "standardized"), function(scale) {
  centred <- sweep(x, 2, colMeans(x))
  if (scale == "standardized") centred <- sweep(centred, 2, sqrt(colMeans(centred^2)), "/")
  score <- gcv_of(centred, data$y - mean(data$y))
  grid <- 10^seq(-6, 6, length.out = 20001)
  scores <- vapply(grid, score, 0)
  at <- 10^seq(-4, 4, by = 1)
  record(grid_ridge = number(grid[which.min(scores)]), grid_score = number(min(scores)),
         ridge = column(at), score = column(vapply(at, score, 0)))
}, "")

cat('{\n  "source": ', text(paste("test/vectors/ridge.R,", R.version.string)), ",\n", sep = "")
cat('  "table": ', table_of(data), ",\n", sep = "")
cat('  "mass": [\n    ', paste(mass, collapse = ",\n    "), "\n  ],\n", sep = "")
cat('  "glmnet": { "standardized": ', net[1], ',\n    "raw": ', net[2], " },\n", sep = "")
cat('  "gcv": { "raw": ', gcv[1], ',\n    "standardized": ', gcv[2], " }\n}\n", sep = "")
