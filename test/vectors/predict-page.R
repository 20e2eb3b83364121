# Writes predict-page.json: what R's predict(lm) says of penguins typed into a form, with both intervals.
# Run from this folder: Rscript predict-page.R > predict-page.json (made with R 4.2.2).

source("json.R")
islands <- c("biscoe", "dream", "torgersen")
penguins <- do.call(rbind, lapply(islands, function(island)
  read.csv(file.path("../../examples/penguins", paste0(island, ".csv")), na.strings = c("", "NA"))))
fit <- lm(body_mass ~ bill_length + flipper_length + sex + species, penguins)
rows <- data.frame(
  bill_length = c(47.5, 39.1, 55.8, 20),
  flipper_length = c(215, 181, 207, 260),
  sex = c("male", "female", "male", "female"),
  species = c("Gentoo", "Adelie", "Chinstrap", "Gentoo")
)
of <- function(kind, level) predict(fit, rows, interval = kind, level = level)
bounds <- function(kind, level) list_of(apply(of(kind, level)[, c("lwr", "upr")], 2, column))

cat('{\n  "source": ', text(paste("test/vectors/predict-page.R,", R.version.string)), ",\n", sep = "")
cat('  "rows": ', table_of(rows), ",\n", sep = "")
cat('  "fitted": ', column(predict(fit, rows)), ",\n", sep = "")
cat('  "confidence": ', bounds("confidence", 0.95), ",\n", sep = "")
cat('  "prediction": ', bounds("prediction", 0.95), ",\n", sep = "")
cat('  "prediction80": ', bounds("prediction", 0.8), "\n}\n", sep = "")
