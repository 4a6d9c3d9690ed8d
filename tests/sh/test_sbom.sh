#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/sbom: what stint is made of, for people and for programs.
. "$(dirname "$0")/../support/sh.sh"

bill() { SOURCE_DATE_EPOCH=1700000000 "$TOP/tools/sbom"; }

it 'the bill is JSON, and relates parts that it has, each once'
check bill
cp "$OUT" bill.json
check node -e 'const bill = JSON.parse(require("fs").readFileSync("bill.json"));
    const ids = bill.packages.map(part => part.SPDXID);
    const known = id => id === "SPDXRef-DOCUMENT" || ids.includes(id);
    process.exitCode = new Set(ids).size === ids.length && ids.every(id => /^SPDXRef-[A-Za-z0-9.-]+$/.test(id)) &&
        bill.relationships.every(row => known(row.spdxElementId) && known(row.relatedSpdxElement)) ? 0 : 1'

it 'its time is that of the sources'
expect_equal '    "created": "2023-11-14T22:13:20Z",' "$(grep '"created"' bill.json)"
check bill
expect_same bill.json "$OUT"
expect_exit 1 env -u SOURCE_DATE_EPOCH "$TOP/tools/sbom"
expect_err_has 'SOURCE_DATE_EPOCH is not set'

# A tree of its own, in which a part can differ.
mkdir -p tree/tools
cp "$TOP/tools/sbom" "$TOP/tools/parts.txt" tree/tools/
cp "$TOP/CMakeLists.txt" "$TOP/package.json" tree/
it 'a part of npm in another version is an error'
sed -i '/npm `esbuild`/s/| [0-9.]* |/| 0.0.1 |/' tree/tools/parts.txt
expect_exit 1 tree/tools/sbom --table build
expect_err_has "'esbuild' is "

it 'so is one that is not listed, and one that is gone'
sed -i '/npm `esbuild`/d' tree/tools/parts.txt
expect_exit 1 tree/tools/sbom --table build
expect_err_has "no line for 'esbuild'"
cp "$TOP/tools/parts.txt" tree/tools/
sed -i '/"esbuild"/d' tree/package.json
expect_exit 1 tree/tools/sbom --table build
expect_err_has "has 'esbuild', which package.json does not have"

finish
