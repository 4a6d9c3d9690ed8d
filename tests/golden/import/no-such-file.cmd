stint import sge --cluster alder nowhere --store store
status=$?
test -e store || echo "no store was made"
exit $status
