# Writes design.json: what R's terms() and model.matrix() make of formulas over a small synthetic
# table. Run from this folder: Rscript design.R > design.json (made with R 4.2.2).

data <- data.frame(
  y = c(3.5, 1.25, 8, 2.75, 6, 4.5, 9.25, 0.5, 7, 5.75, 2, 3),
  z = c(12, 15, 11, 19, 14, 13, 18, 17, 16, 10, 12.5, 13.5),
  x = c(1, 2.5, 4, 3, 5, 9, 7.5, 6, 8, 2, 0.5, 1.5),
  w = c(51, 47.5, 60, 38, 44, 55, 49, 62, 58.5, 41, 50, 46),
  .site = c(0.1, 0.7, 0.3, 0.9, 0.2, 0.5, 0.4, 0.8, 0.6, 0.15, 0.25, 0.35),
  `my col` = c(-2, 1, 3, -5, 4, 6, -1, 0, 2, -3, 5, -4),
  cp = c(1, 2, 4, 2, 1, 4, 2, 4, 1, 1, 2, 4),
  sex = factor(c("female", "male", "male", "female", "male", "female",
                 "male", "female", "female", "male", "female", "male")),
  dose = factor(c("low", "mid", "high", "mid", "low", "high", "high", "low", "mid", "mid", "high", "low"),
                levels = c("low", "mid", "high")),
  check.names = FALSE
)

formulas <- c(
  "y ~ x", "y ~ 1", "y ~ x - 1", "y ~ x + 0", "y ~ 0 + x + 1", "y ~ x - 0",
  "y ~ x + sex", "y ~ sex + dose", "y ~ sex + dose - 1", "y ~ dose + sex + 0", "y ~ x + dose - 1",
  "y ~ sex:dose", "y ~ x:sex - 1", "y ~ x:sex", "y ~ x + x:sex", "y ~ sex + x:sex",
  "y ~ sex*dose*x", "y ~ (sex + dose + x)^2", "y ~ sex:dose + sex", "y ~ sex:dose + dose - 1",
  "y ~ dose:sex + x:dose", "y ~ x:w + sex:x:w", "y ~ sex*dose - sex", "y ~ sex*dose - sex:dose",
  "y ~ .", "y ~ . - x", "y ~ . - sex - 1", "log(y) ~ . - `my col`", "y ~ (. - cp - w - z)^2",
  "y ~ I(x^2) + I(x*w) + I(x/10) + I((w-50)^2)", "log(y) ~ log(x) + sqrt(w) + exp(.site)",
  "sqrt(y) ~ log2(x) + log10(w) + abs(`my col`) + log(x + 1)", "I(y*z) ~ x:I(x^2) + sex:log(x)",
  "y ~ factor(cp)", "y ~ factor(cp)*x", "y ~ factor(cp):sex - 1", "y ~ factor(sex) + cp",
  "y ~ `my col`*sex", "y ~ I(`my col`^2) + `my col`^2 + .site:`my col`", "y ~ sex/x", "y ~ (sex + x)/dose",
  "y ~ x %in% sex + sex", "y ~ w:x + x + w", "y ~ x + w:x", "y ~ x + x + sex:x + x:sex",
  "y ~ -1 + x*w*.site - x:w", "y ~ x + y:x", "y ~ I(-x^2) + I(x^-1) + I(2^3 * x) + I(x^0.5)",
  "y ~ I(x * 1e5) + I(x * 0.0001) + I(x * 123456) + I(0.00012 * x) + I(1/(x + 1)) + I(x**3)",
  "y/10 ~ dose:x:sex + dose:x", "y ~ (sex + dose)^3 - 1", "y ~ sex:dose:factor(cp)", "y ~ x + (w + (z - w))",
  "y ~ sex:dose + dose:factor(cp)", "y ~ x:dose + sex - 1", "cbind(y, log(z)) ~ x + sex", "y ~ log(x):log(w) + I(x)"
)

text <- function(s) if (length(s) > 0) paste0('"', gsub('"', '\\\\"', s), '"')
number <- function(v) formatC(v, digits = 17, format = "g")
list_of <- function(items) paste0("[", paste(items, collapse = ", "), "]")

column <- function(v) list_of(if (is.factor(v)) text(as.character(v)) else number(v))

cases <- vapply(formulas, function(source) {
  formula <- as.formula(source)
  parts <- terms(formula, data = data)
  frame <- model.frame(parts, data)
  matrix <- model.matrix(parts, frame)
  paste0(
    '    { "formula": ', text(source),
    ',\n      "terms": ', list_of(text(attr(parts, "term.labels"))),
    ',\n      "intercept": ', if (attr(parts, "intercept") == 1) "true" else "false",
    ',\n      "response": ', text(deparse(formula[[2]])),
    ',\n      "targets": ', list_of(apply(cbind(model.response(frame)), 2, column)),
    ',\n      "names": ', list_of(text(colnames(matrix))),
    ',\n      "columns": ', list_of(apply(matrix, 2, column)), " }"
  )
}, "")

cat('{\n  "source": ', text(paste("test/vectors/design.R,", R.version.string)), ",\n", sep = "")
cat('  "data": {\n', paste0("    ", text(names(data)), ": ", vapply(data, column, ""), collapse = ",\n"), "\n  },\n", sep = "")
cat('  "levels": {\n', paste0("    ", text(c("sex", "dose", "cp")), ": ",
  vapply(list(levels(data$sex), levels(data$dose), levels(factor(data$cp))), function(l) list_of(text(l)), ""),
  collapse = ",\n"), "\n  },\n", sep = "")
cat('  "cases": [\n', paste(cases, collapse = ",\n"), "\n  ]\n}\n", sep = "")
