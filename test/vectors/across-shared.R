# Writes across-shared.json: four hospitals (UCI heart) and two wines, by lme4, sandwich, lm and metafor.
# Run from this folder: Rscript across-shared.R > across-shared.json (R 4.2.2); needs ../../../shared/data.
# Clustered errors are taken on standardised columns and scaled back: on raw ones sandwich loses 3e-9 to the density of wine.

suppressMessages({ library(lme4); library(sandwich); library(metafor) })
source("json.R")
named <- function(v) do.call(record, as.list(setNames(number(v), names(v))))
read <- function(set, sites) do.call(rbind, lapply(sites, function(s) {
  cbind(read.csv(file.path("../../../shared/data", set, "sites", paste0(s, ".csv")), na.strings = "?"), .s = s)
}))
answer <- function(set, sites, formula) {
  data <- read(set, sites)
  data <- data[complete.cases(data[, c(all.vars(formula))]), ]
  control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-13, maxfun = 1e5))
  fit <- suppressWarnings(lmer(update(formula, . ~ . + (1 | .s)), data, control = control))
  one <- lm(formula, data)
  scaled <- data
  for (name in all.vars(formula)[-1]) scaled[[name]] <- (data[[name]] - mean(data[[name]])) / sd(data[[name]])
  robust <- sqrt(diag(vcovCL(lm(formula, scaled), cluster = data$.s, type = "HC1")))[-1]
  robust <- robust / vapply(data[names(robust)], sd, 0)
  own <- lapply(split(data, data$.s), function(part) lm(formula, part))
  all <- sum(vapply(own, deviance, 0))
  ranks <- sum(vapply(own, function(f) f$rank, 0))
  chow <- ((deviance(one) - all) / (ranks - one$rank)) / (all / (nrow(data) - ranks))
  record(set = text(set), sites = column(sites), formula = text(paste(deparse(formula, width.cutoff = 500), collapse = "")),
         estimates = named(fixef(fit)), variance = number(as.data.frame(VarCorr(fit))$vcov[1]),
         logLik = number(as.numeric(logLik(fit))),
         HC1 = named(robust), chow = number(chow))
}
heart <- answer("uci-heart", c("cleveland", "hungarian", "switzerland", "va"),
                thalach ~ age + sex + cp + trestbps + chol + restecg + exang + oldpeak)
wine <- answer("wine-quality", c("red", "white"),
               quality ~ fixed_acidity + volatile_acidity + residual_sugar + chlorides + density + pH + sulphates + alcohol)
cat('{ "source": ', text(paste("test/vectors/across-shared.R,", R.version.string)), ',\n  "sets": [\n', heart, ",\n", wine, "\n] }\n",
    sep = "")
