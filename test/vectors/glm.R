# Writes glm.json: logistic and Poisson regressions by glm and brglm2 (Firth: type = "AS_mean"), of simulated
# tables and of the heart data, pooled over the sites.
# Run from this folder: Rscript glm.R > glm.json (made with R 4.2.2, brglm2 0.9). The heart data are read from
# ../../../shared/data/uci-heart/sites: complete cases of all columns but slope, ca and thal.

suppressMessages(library(brglm2))
source("json.R")
set.seed(20264)
tight <- glm.control(epsilon = 1e-15, maxit = 200)

answer <- function(fit) {
  s <- summary(fit)$coefficients
  record(terms = list_of(text(names(coef(fit)))), estimate = column(unname(coef(fit))),
         std_error = column(unname(s[, 2])), logLik = number(as.numeric(logLik(fit))))
}
plain <- function(formula, family, data) answer(suppressWarnings(glm(formula, family, data, control = tight)))
firth <- function(formula, family, data)
  answer(glm(formula, family, data, method = "brglmFit", type = "AS_mean", epsilon = 1e-13, maxit = 1000))

simulate <- function(n, sites, shift) {
  data <- data.frame(site = rep(seq_len(sites), length.out = n), a = round(rnorm(n, 50, 9), 1),
                     b = round(rexp(n), 3), g = sample(c("i", "ii", "iii"), n, TRUE))
  eta <- -2 + 0.04 * data$a - 0.5 * data$b + 0.4 * (data$g == "ii") + shift * (data$site - mean(data$site))
  data$y <- rbinom(n, 1, plogis(eta))
  data$count <- rpois(n, exp(0.6 + 0.3 * eta))
  data
}
formulas <- c("~ a + b + g", "~ a + b", "~ 1", "~ b + g - 1", "~ a * g")
one <- simulate(120, 1, 0)
single <- vapply(formulas, function(right) {
  f <- function(left) as.formula(paste(left, right))
  record(right = text(right),
         binomial = plain(f("y"), binomial, one), poisson = plain(f("count"), poisson, one),
         binomial_firth = firth(f("y"), binomial, one), poisson_firth = firth(f("count"), poisson, one))
}, "")

small <- data.frame(x = c(1, 2, 3, 4, 5, 6, 7, 8), y = c(0, 0, 0, 0, 1, 1, 1, 1))
five <- simulate(600, 5, 0.25)

sites <- c("cleveland", "hungarian", "switzerland", "va")
heart <- do.call(rbind, lapply(sites, function(site)
  cbind(site = site, read.csv(file.path("../../../shared/data/uci-heart/sites", paste0(site, ".csv")), na.strings = "?"))))
heart <- heart[, !(names(heart) %in% c("slope", "ca", "thal"))]
heart <- heart[complete.cases(heart), ]
heart$disease <- as.numeric(heart$num > 0)
heart_formula <- disease ~ age + sex + factor(cp) + trestbps + chol + fbs + factor(restecg) + thalach + exang + oldpeak

cat('{\n  "source": ', text(paste("test/vectors/glm.R,", R.version.string)), ",\n", sep = "")
cat('  "one": { "table": ', table_of(one), ', "fits": ', list_of(single), " },\n", sep = "")
cat('  "separated": { "table": ', table_of(small), ', "binomial_firth": ', firth(y ~ x, binomial, small), " },\n", sep = "")
cat('  "five": { "table": ', table_of(five), ', "binomial": ', plain(y ~ a + b + g, binomial, five),
    ', "poisson": ', plain(count ~ a + b + g, poisson, five), " },\n", sep = "")
cat('  "heart": { "rows": ', column(as.vector(table(factor(heart$site, sites)))), ', "pooled": ',
    plain(heart_formula, binomial, heart), ', "pooled_firth": ', firth(heart_formula, binomial, heart), " }\n}\n", sep = "")
