# Writes comparisons.json: what R's model.matrix() makes of comparisons inside I() over a small
# synthetic table. Run from this folder: Rscript comparisons.R > comparisons.json (made with R 4.2.2).

source("json.R")
data <- data.frame(
  y = c(3.5, 1.25, 8, 2.75, 6, 4.5, 9.25, 0.5, 7, 5.75, 2, 3),
  x = c(1, 2.5, 4, 3, 5, 9, 7.5, 6, 8, 2, 0.5, 1.5),
  num = c(0, 2, 0, 1, 3, 0, 0, 4, 1, 0, 2, 0),
  u = c(0.1, 0.2, 0.3, 0.7, 0.6, 0.1, 0.9, 0.3, 0.4, 0.8, 0.5, 0.2),
  v = c(0.2, 0.1, 0.3, 0.1, 0.3, 0.7, 0, 0.6, 0.5, 0.1, 0.4, 0.8),
  cp = factor(c(1, 2, 4, 2, 1, 4, 2, 4, 1, 1, 2, 4)),
  sex = factor(c("female", "male", "male", "female", "male", "female",
                 "male", "female", "female", "male", "female", "male"))
)
formulas <- c(
  "y ~ I(num > 0)", "y ~ I(x>=2.5) - 1", "y ~ I(x < 2)*sex", "y ~ sex:I(x <= 4)", "y ~ x:I(num != 0) + I(x >= 2):I(num == 0)",
  "y ~ I(x > 2)*x - 1", "y ~ I(sex == \"male\") + I((x + 1)^2 > 4)", "y ~ I(cp != '4') + I(\"1\" == cp)", "y ~ I(-x < -2) + I(log(x) > 1):x",
  "y ~ I((x > 2) * 3) + I((num > 0) * (x < 5))", "y ~ I((x > 2) == (num > 0))", "y ~ I(u + v == 0.3) + I(u * 3 > 0.3) + I(u + v > 0.8)",
  "I(num > 0) ~ x", "num > 0 ~ x + sex", "cbind(y, I(sex == \"male\"), I(x / 2 > 1)) ~ num", "I(num > 0) ~ . - u - v", "y ~ (I(x > 2) + sex + cp)^2 - 1",
  "y ~ I(I(x > 2)) + I((x > 3))"
)
flat <- function(v) list_of(if (is.logical(v)) number(as.numeric(v)) else number(v))
cases <- vapply(formulas, function(source) {
  formula <- as.formula(source)
  parts <- terms(formula, data = data)
  frame <- model.frame(parts, data)
  matrix <- model.matrix(parts, frame)
  paste0(
    '    { "formula": ', text(source),
    ',\n      "terms": ', list_of(text(attr(parts, "term.labels"))),
    ',\n      "response": ', text(deparse(formula[[2]])),
    ',\n      "targets": ', list_of(apply(cbind(model.response(frame)), 2, flat)),
    ',\n      "names": ', list_of(text(colnames(matrix))),
    ',\n      "columns": ', list_of(apply(matrix, 2, flat)), " }"
  )
}, "")
cat('{\n  "source": ', text(paste("test/vectors/comparisons.R,", R.version.string)), ",\n", sep = "")
cat('  "data": ', table_of(data), ",\n", sep = "")
cat('  "cases": [\n', paste(cases, collapse = ",\n"), "\n  ]\n}\n", sep = "")
