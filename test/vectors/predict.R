# Writes predict.json: what R's predict(lm) says of rows the fit has not seen, missing cells and
# aliased terms included. Run from this folder: Rscript predict.R > predict.json (made with R 4.2.2).

source("json.R")
set.seed(20263)
make <- function(n) {
  data <- data.frame(
    x = round(rnorm(n, 10, 3), 2),
    v = round(rexp(n, 0.1) + 0.5, 3),
    u = sample(-9:9, n, TRUE),
    g = sample(c("no", "yes"), n, TRUE),
    h = sample(c("high", "low", "mid"), n, TRUE),
    k = sample(c(1, 2, 10), n, TRUE),
    w = round(rgamma(n, 2) + 0.1, 3)
  )
  data$y <- round(3 + 0.5 * data$x - log(data$v) + 0.3 * data$u + 2 * (data$g == "yes") + rnorm(n), 3)
  data$z <- round(100 - 3 * data$x + 0.01 * data$v^2 + rnorm(n, 0, 5), 2)
  data$p <- round(exp(0.1 * data$y) + 1, 4)
  data$twice <- 2 * data$x
  data
}
train <- make(60)
# New rows stay inside what the fit has seen: a codebook drafted from it refuses the rest.
fresh <- make(400)
inside <- Reduce(`&`, lapply(c("x", "v", "u"), function(name)
  fresh[[name]] >= min(train[[name]]) & fresh[[name]] <= max(train[[name]])))
inside <- inside & fresh$twice >= min(train$twice) & fresh$twice <= max(train$twice)
new <- fresh[inside, ][1:25, c("h", "x", "g", "u", "v", "k", "twice")]
new$x[4] <- NA
new$g[9] <- NA
new$k[13] <- NA
new$v[25] <- NA
rownames(new) <- NULL

cases <- list(
  list("y ~ 1"),
  list("y ~ x + v + u + g + h"),
  list("y ~ g*h*u"),
  list("y ~ x*g + factor(k)"),
  list("y ~ log(v) + sqrt(v) + I((x - 10)^2)"),
  list("log(p) ~ x:log(v) + h - 1"),
  list("y ~ x + twice + g"),
  list("y ~ (x + u + h)^2", "w"),
  list("cbind(y, z) ~ x*u + g"),
  list("y ~ x + I(x^2) + I(x^3) + I(x^4)")
)

texts <- suppressWarnings(vapply(cases, function(case) {
  formula <- as.formula(case[[1]])
  arguments <- list(formula, data = train)
  if (length(case) == 2) arguments$weights <- train[[case[[2]]]]
  fitted <- predict(do.call(lm, arguments), new)
  columns <- if (is.matrix(fitted)) apply(fitted, 2, column) else column(fitted)
  record(formula = text(case[[1]]), weights = if (length(case) == 2) text(case[[2]]),
         fitted = list_of(columns))
}, ""))

cat('{\n  "source": ', text(paste("test/vectors/predict.R,", R.version.string)), ",\n", sep = "")
cat('  "train": ', table_of(train), ",\n", '  "new": ', table_of(new), ",\n", sep = "")
cat('  "cases": [\n    ', paste(texts, collapse = ",\n    "), "\n  ]\n}\n", sep = "")
