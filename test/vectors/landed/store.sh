#!/usr/bin/env bash
# Makes store/, site/, links/ and files/ with the command of commit 54a254b, built at $OLD. All keys and secrets in them
# were made for this and are used for nothing else. Usage: OLD=FOLDER bash test/vectors/landed/store.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rows=$(cd "$here/../../../examples/penguins" && pwd)
suffice() { node "$OLD/dist/command/main.js" "$@"; }
port=7741
work=$(mktemp -d)
cd "$work"
umask 077

study() { # name, fusion, formula, what else
  cat > "$1.json" <<JSON
{ "schema": "suffice/study@1", "name": "$1", "formula": "$3",
  "codebook": {
    "body_mass": { "type": "number", "unit": "g", "range": [2000, 8000], "center": 4200, "sd": 800 },
    "bill_length": { "type": "number", "unit": "mm", "range": [20, 80] },
    "flipper_length": { "type": "number", "unit": "mm", "range": [150, 260] },
    "sex": { "type": "category", "levels": ["female", "male"], "missing": ["", "NA"] } },
  "fusion": $2, "arithmetic": "exact"${4:-} }
JSON
}
mass='body_mass ~ bill_length + flipper_length + sex'
study ridge '{ "kind": "ridge", "ridge": 0 }' "$mass"
study fisher '{ "kind": "fisher", "family": "binomial" }' 'sex ~ bill_length + flipper_length'
study private '{ "kind": "ridge", "ridge": 0 }' "$mass" \
  ', "privacy": { "epsilon": 8, "delta": 1e-5, "unit": "row" }'
study fesc '{ "kind": "fesc", "covariance": true }' "$mass"
study average '{ "kind": "average" }' "$mass"
study local '{ "kind": "ridge", "ridge": 0 }' "$mass" \
  ', "privacy": { "epsilon": 1, "delta": 1e-5, "unit": "row", "placement": "local" }'

# A coordinator with four studies that have resolved and one that waits for a site.
start() {
  node "$OLD/dist/command/main.js" serve --data store --port $port --log none & server=$!
  until curl -sf "http://127.0.0.1:$port/" > /dev/null; do sleep 0.2; done
}
stop() {
  kill -TERM $server
  wait $server || true
}
trap 'kill $server 2> /dev/null || true' EXIT
start
mkdir links reports
for kind in ridge fisher private fesc average; do
  suffice study create $kind.json --coordinator "http://127.0.0.1:$port" --token-file store/admin-token \
    --site biscoe --site dream --site torgersen --out "invited-$kind" --force > /dev/null
  for site in torgersen biscoe dream; do
    [ $kind-$site = average-dream ] && continue
    suffice join "invited-$kind/$site.invitation" "$rows/$site.csv" --yes --quiet --home "home-$site" \
      --acknowledge R5,R6,R7,R11
  done
  cp "invited-$kind/admin.link" "links/$kind.admin.link"
  cp "invited-$kind/torgersen.invitation" "links/$kind.torgersen.invitation"
  [ $kind = average ] || suffice report "invited-$kind/admin.link" --wait --out "reports/$kind.json" > /dev/null
done
cp "invited-average/dream.invitation" links/average.dream.invitation
stop
start # cuts the journal, which would be most of the bytes
stop

# Contributions as files, and what they were combined to; the noise of a private total is drawn from site/.
mkdir files
for kind in ridge fisher private fesc average local; do
  cp $kind.json "files/$kind.study.json"
  for site in biscoe dream torgersen; do
    suffice contribute $kind.json "$rows/$site.csv" --out "files/$kind.$site.suffice" --site "$site" \
      --home "away-$site" --acknowledge R5,R6,R7,R9,R11 --yes --quiet
  done
  suffice combine $kind.json files/$kind.*.suffice --home home-torgersen --json > "files/$kind.report.json"
done
suffice fit ridge.json "$rows"/{biscoe,dream,torgersen}.csv --save-model files/ridge.model.json --quiet > /dev/null
suffice predict files/ridge.model.json "$rows/torgersen.csv" --interval confidence --out files/ridge.predictions.csv
suffice ledger --home home-torgersen --json | sed "s|\"$PWD/|\"|" > files/ledger.json

rm -rf "$here"/{store,site,links,reports,files}
mv home-torgersen site
[ -s store/suffice.db-wal ] || rm store/suffice.db-wal store/suffice.db-shm
cp -r store site links reports files "$here/"
rm -rf "$work"
