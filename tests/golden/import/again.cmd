stint import sge --cluster birch "$TOP/tests/golden/birch.accounting" --store "$PWD/store" --format csv >first
stint import sge --cluster birch "$TOP/tests/golden/birch.accounting" --store "$PWD/store" --format csv --no-header >second
cut -d, -f2-8 first second
