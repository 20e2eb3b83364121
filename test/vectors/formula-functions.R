# Writes formula-functions.json: what R makes of the functions of formulas: names and values of the model matrix,
# coefficients, fitted values. Run from this folder: Rscript formula-functions.R > formula-functions.json
# (made with R 4.2.2). The first rows have the smallest and largest x, beyond the boundary knots.

library(splines)
source("json.R")
set.seed(2624)
n <- 90
data <- data.frame(
  x = round(c(0, 100, 2, 97, 40, 60, runif(n - 6, 3, 95)), 2),
  z = round(runif(n, 1, 5), 3),
  u = round(rnorm(n, 0, 2), 2),
  t = round(rexp(n, 0.2) + 0.5, 3),
  k = sample(c(1, 2, 3), n, TRUE),
  a = factor(sample(c("ash", "beech", "cedar"), n, TRUE)),
  b = factor(sample(c("no", "yes"), n, TRUE)),
  d = factor(sample(c("low", "mid", "high", "top"), n, TRUE), levels = c("low", "mid", "high", "top"))
)
data$y <- round(10 + 0.1 * data$x - 8 * sin(data$x / 15) + log(data$t) + 2 * (data$a == "beech") +
  data$u * (data$b == "yes") + rnorm(n), 3)

formulas <- c(
  "y ~ poly(x, 3, raw = TRUE)", "y ~ poly(x, degree = 2, raw = T) + a", "y ~ poly(x, 1, raw = TRUE)",
  "y ~ poly(x, 2, raw = TRUE) * b", "y ~ poly(log(t), 2, raw = TRUE)", "y ~ poly(x, 2, raw = TRUE):a - 1",
  "y ~ poly(raw = TRUE, x, 4)",
  "y ~ ns(x, knots = c(20.4, 74.1), Boundary.knots = c(7.65, 82.76))", "y ~ ns(x, knots = 50, Boundary.knots = c(0, 100))",
  "y ~ ns(x, Boundary.knots = c(10, 80))", "y ~ ns(x, knots = c(30, 60), Boundary.knots = c(0, 100), intercept = TRUE) - 1",
  "y ~ ns(x, knots = c(25, 45, 65, 80), Boundary.knots = c(0, 100)) * b",
  "y ~ ns(log1p(t), knots = c(1, 2), Boundary.knots = c(0.3, 3))", "y ~ ns(x, kn = c(70, 30), B = c(95, 5)) + a",
  "y ~ bs(x, knots = c(30, 60), Boundary.knots = c(0, 100))", "y ~ bs(x, knots = 50, degree = 1, Boundary.knots = c(0, 100))",
  "y ~ bs(x, knots = c(20, 40, 60, 80), degree = 2, Boundary.knots = c(0, 100)) + z",
  "y ~ bs(x, knots = c(30, 60), Boundary.knots = c(1, 98))", "y ~ bs(x, Boundary.knots = c(0, 100))",
  "y ~ bs(x, knots = c(40, 40, 70), Boundary.knots = c(0, 100)) + b",
  "y ~ bs(x, knots = 50, intercept = TRUE, Boundary.knots = c(0, 100)) - 1",
  "y ~ bs(x, knots = seq(20, 80, by = 20), Boundary.knots = c(0, 100)):b",
  "y ~ cut(x, c(-Inf, 40, 60, Inf))", "y ~ cut(x, c(0, 40, 60, 100), include.lowest = TRUE)",
  "y ~ cut(x, c(0, 40, 60, 101), right = FALSE)", "y ~ cut(x, c(-1, 33.3333, 66.6667, 100)) * b",
  "y ~ cut(x, c(-Inf, 40, 60, Inf), labels = c(\"young\", \"middle\", \"old\")):z",
  "y ~ cut(x, c(0, 40, 60, 100), right = FALSE, include.lowest = TRUE) - 1", "y ~ cut(x, c(-1, 24.5, 48.5, 100), dig.lab = 2) + bs(z, knots = seq(2, 4, length.out = 3), Boundary.knots = c(1, 5))",
  "y ~ cut(x * 100, c(-1, 2000, 4000.5, 1e4))", "y ~ relevel(cut(x, c(-Inf, 40, 60, Inf)), ref = \"(40,60]\")",
  "y ~ cut(x, 25 * (0:4), inc = TRUE)",
  "y ~ offset(z) + x", "y ~ x + a + offset(log(t)) + offset(2 * z)", "y ~ offset(x / 10)",
  "y ~ log1p(t) + expm1(u / 10)", "log1p(t) ~ x + u", "y ~ log(t, 2) + log(x + 1, base = 10)",
  "y ~ ifelse(x > 60, x - 60, 0)", "y ~ ifelse(a == \"ash\", z, u) + b", "y ~ x + ifelse(u > 0, log(t), -1):b",
  "y ~ I(ifelse(x > 0, log(x + 1), 0) * z)", "y ~ ifelse(x < 30, 1, ifelse(x < 70, 2, 3))",
  "y ~ relevel(a, ref = \"beech\")", "y ~ relevel(a, \"cedar\") * x", "y ~ relevel(factor(k), ref = \"3\") + d",
  "y ~ as.factor(k)", "y ~ factor(k, levels = c(3, 1, 2))", "y ~ factor(d, levels = c(\"top\", \"high\", \"mid\", \"low\")) + x",
  "y ~ factor(k, labels = c(\"one\", \"two\", \"three\"))", "y ~ as.numeric(k) + as.numeric(x > 50)",
  "y ~ pmin(x, 60) + pmax(x, 40, u)", "y ~ round(z) + round(u, 1) + round(x, -1)",
  "y ~ floor(z) + ceiling(u) + trunc(u) + as.integer(t)", "y ~ I(k %in% c(1, 3)) + x", "y ~ I(a %in% c(\"ash\", \"cedar\")):z",
  "y ~ interaction(a, b)", "y ~ interaction(b, factor(k), sep = \"_\")", "y ~ interaction(a, b, lex.order = TRUE) + x",
  "y ~ C(a, contr.sum)", "y ~ C(d, contr.helmert) * x", "y ~ C(a, sum):b", "y ~ C(factor(k), contr.helmert) - 1",
  "y ~ C(d, contr.treatment, base = 3) + C(a, treatment)", "y ~ C(d, contr.poly)", "y ~ ordered(k):C(b, contr.sum)",
  "y ~ I(1/t) + I(1 / (x + 1))"
)
stopifnot(length(formulas) == 67, !anyDuplicated(formulas))

escaped <- function(s) paste0('"', gsub('"', '\\"', s, fixed = TRUE), '"')
some <- c(1:12, 30, 60, 90)
cases <- vapply(formulas, function(source) {
  fit <- suppressWarnings(lm(as.formula(source), data))
  matrix <- model.matrix(fit)
  record(
    formula = escaped(source),
    names = list_of(escaped(names(coef(fit)))),
    coefficients = list_of(number(coef(fit))),
    sigma = number(summary(fit)$sigma),
    fitted = list_of(number(unname(fitted(fit)[some]))),
    basis = list_of(apply(matrix[some, , drop = FALSE], 2, function(v) list_of(number(unname(v)))))
  )
}, "")

cat('{ "source": "test/vectors/formula-functions.R, ', R.version.string, '",\n', sep = "")
cat('"rows": ', list_of(some - 1), ',\n"data": ', table_of(data), ',\n"cases": [\n', sep = "")
cat(paste(cases, collapse = ",\n"), "\n] }\n", sep = "")
