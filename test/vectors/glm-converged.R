# Writes glm-converged.json: glm() as R converges it, of the public data sets and of simulated tables with a quasi-separated
# level, sites without events and no intercept. Where a term is separated, R's estimate of it is not written.
# Run from this folder: Rscript glm-converged.R > glm-converged.json (made with R 4.2.2). The public data are read from
# ../../../shared/data.

source("json.R")
set.seed(20265)
tight <- glm.control(epsilon = 1e-15, maxit = 200)

answer <- function(formula, family, data, separated = character(0)) {
  first <- suppressWarnings(glm(as.formula(formula), family, data, control = tight))
  # summary() takes the weights from before the last step; from the optimum that step is nothing.
  fit <- suppressWarnings(glm(as.formula(formula), family, data, control = tight, start = coef(first)))
  s <- summary(fit)$coefficients
  finite <- !(rownames(s) %in% separated)
  record(formula = text(formula), family = text(fit$family$family), separated = column(separated),
         terms = list_of(text(rownames(s)[finite])), estimate = column(unname(s[finite, 1])),
         std_error = column(unname(s[finite, 2])), deviance = number(deviance(fit)),
         null_deviance = number(fit$null.deviance), logLik = number(as.numeric(logLik(fit))),
         AIC = number(AIC(fit)), BIC = number(BIC(fit)))
}

sites <- function(set, names, missing = "NA") do.call(rbind, lapply(names, function(name)
  read.csv(file.path("../../../shared/data", set, "sites", paste0(name, ".csv")), na.strings = missing)))
heart_sites <- c("cleveland", "hungarian", "switzerland", "va")
heart <- sites("uci-heart", heart_sites, "?")
bike_sites <- paste0("yr", rep(0:1, each = 4), "-season", 1:4)
bike <- sites("bike-sharing", bike_sites)

n <- 320
table <- data.frame(site = rep(c("a", "b", "c", "d"), each = n / 4), x = round(rnorm(n), 3),
                    g = sample(c("i", "ii", "iii"), n, TRUE), h = round(rexp(n), 3))
table$y <- rbinom(n, 1, plogis(-0.3 + 0.6 * table$x - 0.2 * table$h + 0.5 * (table$g == "ii")))
table$y[table$g == "iii"] <- 0
table$rare <- rbinom(n, 1, plogis(-2.5 + table$x)) * (table$site != "d")
table$count <- rpois(n, exp(0.4 + 0.5 * table$x - 0.3 * table$h)) * (table$site != "d")

cat('{\n  "source": ', text(paste("test/vectors/glm-converged.R,", R.version.string)), ',\n  "shared": [\n    ', sep = "")
cat(paste(c(
  record(set = text("uci-heart"), sites = column(heart_sites), missing = text("?"), fit = answer(
    "I(num > 0) ~ age + sex + factor(cp) + trestbps + chol + fbs + thalach + exang + oldpeak", binomial, heart)),
  record(set = text("bike-sharing"), sites = column(bike_sites), missing = text("NA"), fit = answer(
    "cnt ~ temp + hum + windspeed + factor(weathersit) + workingday", poisson, bike)),
  record(set = text("bike-sharing"), sites = column(bike_sites), missing = text("NA"), fit = answer(
    "I(cnt > 200) ~ temp + hum + windspeed + factor(weathersit)", binomial, bike, "factor(weathersit)4"))
), collapse = ",\n    "))
cat('\n  ],\n  "table": ', table_of(table), ',\n  "fits": [\n    ', sep = "")
cat(paste(c(
  answer("y ~ x + h", binomial, table), answer("y ~ x + g + h", binomial, table, "giii"),
  answer("rare ~ x + h", binomial, table), answer("rare ~ x + site", binomial, table, "sited"),
  answer("y ~ x + h - 1", binomial, table),
  answer("count ~ x + h", poisson, table), answer("count ~ x + g + site", poisson, table, "sited"),
  answer("count ~ x + h - 1", poisson, table)
), collapse = ",\n    "))
cat("\n  ]\n}\n")
