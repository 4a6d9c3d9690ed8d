cp "$TOP/tests/golden/alder.accounting" accounting
stint import sge --cluster alder --on-error stop accounting --store store
