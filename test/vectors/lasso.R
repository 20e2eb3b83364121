# Writes lasso.json: lasso and elastic net by glmnet on a small table with collinear columns, and lm.ridge's GCV.
# Run from this folder: Rscript lasso.R > lasso.json (made with R 4.2.2, glmnet 4.1-6, MASS 7.3-58), then lasso.py.
#
# Ours is RSS/(2n) + L ((1 - m)/2 |b|^2 + m |b|_1) on columns of unit population SD, response as it is.
#   m = 1     glmnet(alpha = 1, lambda = L)
#   m < 1     glmnet divides the response by its population SD s first, so that its ridge part is L (1 - m) / s:
#             the same fit is glmnet(lambda = G, alpha = L m / G) with G = L m + s L (1 - m)
#   GCV       lm.ridge's is RSS/(n - e)^2, e being the effective slopes: ours is n RSS/(n - e - 1)^2

suppressMessages({ library(glmnet); library(MASS) })
source("json.R")
set.seed(20265)
n <- 100
data <- data.frame(a = round(rnorm(n, 5, 3), 2), b = round(rnorm(n, 100, 20), 1))
data$c <- round(data$a + rnorm(n, 0, 0.5), 2)
data$d <- round(rexp(n, 50), 4)
data$e <- round(runif(n), 3)
data$f <- round(-0.02 * data$b + rnorm(n), 2)
data$y <- round(4 + 0.6 * data$a - 0.05 * data$b + 0.4 * data$c + 20 * data$d + rnorm(n, 0, 2), 2)
data$z <- round(1 - data$c + data$e + rnorm(n), 2)
data$w <- round(rgamma(n, 3) + 0.01, 2)
names_x <- c("a", "b", "c", "d", "e", "f")
x <- as.matrix(data[, names_x])

fits <- function(mix, weights) {
  w <- if (weights) data$w else rep(1, n)
  mean_w <- function(v) sum(w * v) / sum(w)
  s <- sqrt(mean_w((data$y - mean_w(data$y))^2))
  sapply(c(1.5, 0.5, 0.1, 0.02, 0.001), function(lambda) {
    g <- lambda * mix + s * lambda * (1 - mix)
    fit <- glmnet(x, data$y, weights = w, alpha = lambda * mix / g, lambda = g, thresh = 1e-26, maxit = 1e8)
    record(lambda = number(lambda), mix = number(mix), weights = if (weights) '"w"' else "null",
           coefficients = column(as.vector(coef(fit))))
  })
}
all <- unlist(lapply(c(1, 0.7, 0.2), function(mix) c(fits(mix, FALSE), fits(mix, TRUE))))
sequence <- glmnet(x, data$y, alpha = 1, thresh = 1e-14)$lambda
ridges <- c(0.01, 0.5, 3, 40, 1000)
gcv <- lm.ridge(y ~ a + b + c + d + e + f, data, lambda = ridges)$GCV

cat('{\n  "source": ', text(paste("test/vectors/lasso.R,", R.version.string)), ",\n", sep = "")
cat('  "table": ', table_of(data), ",\n", sep = "")
cat('  "glmnet": [\n    ', paste(all, collapse = ",\n    "), "\n  ],\n", sep = "")
cat('  "mass": { "lambda": ', column(ridges), ', "gcv": ', column(as.vector(gcv)), " },\n", sep = "")
cat('  "sequence": ', column(sequence), "\n}\n", sep = "")
