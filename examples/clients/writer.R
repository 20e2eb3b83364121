write_contribution <- function(path, z, center, scale, study, site, dropped = 0) {
  u <- round(sweep(sweep(z, 2, center), 2, 2^44 / scale, "*"))
  stopifnot(abs(u) <= 2^44, nrow(u) <= 2^20)
  limb <- list(u %% 2^16, floor(u / 2^16) %% 2^16, floor(u / 2^32))
  upper <- lower.tri(diag(ncol(z)), diag = TRUE)
  product <- function(i, j) crossprod(limb[[i]], limb[[j]])[upper]
  digit <- cbind(product(1, 1), product(1, 2) + product(2, 1), product(1, 3) + product(2, 2) + product(3, 1),
                 product(2, 3) + product(3, 2), product(3, 3), 0, 0, 0)
  carry <- 0
  for (k in 1:8) {
    sum <- digit[, k] + carry
    digit[, k] <- sum %% 2^16
    carry <- floor(sum / 2^16)
  }
  header <- enc2utf8(sprintf(paste0(
    '{"__metadata__":{"schema":"suffice/contribution@1","study":"%s","site":"%s","sequence":"1","mode":"add",',
    '"dropped":"%.0f","arithmetic":"exact","grid":"44"},"statistic":{"dtype":"U64","shape":[%d,2],"data_offsets":[0,%d]}}'),
    study, gsub('"', '\\"', site, fixed = TRUE), dropped, nrow(digit), 16L * nrow(digit)))
  padded <- c(charToRaw(header), rep(as.raw(32), -nchar(header, "bytes") %% 8))
  file <- file(path, "wb")
  on.exit(close(file))
  writeBin(c(length(padded), 0L), file, size = 4, endian = "little")
  writeBin(padded, file)
  writeBin(as.integer(t(digit)), file, size = 2, endian = "little")
}
