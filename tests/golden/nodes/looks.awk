# SPDX-License-Identifier: MIT
#
# What was seen of a cluster on 1 April 2024, every half hour: c3 is down from 6 to 8, c4 drained from 4 on,
# g2 comes at noon and is under maintenance. The others do what the jobs of sacct.txt make them do.
BEGIN {
 for (m = 0; m <= 1440; m += 30) {
  h = m/60;
  if (m < 1440) printf "look alder 2024-04-01T%02d:%02dZ\n", int(m/60), m%60; else print "look alder 2024-04-02T00:00Z";
  c1 = (h>=9 && h<18) ? ((h>=10 && h<15) ? "ALLOCATED|allocated" : "MIXED|mixed") : "IDLE|idle";
  print "c1|64|256G|||batch|" c1;
  c2 = (h>=10 && h<20) ? "MIXED|mixed" : "IDLE|idle";
  print "c2|64|256G|||batch|" c2;
  c3 = (h>=10 && h<20) ? "MIXED|mixed" : "IDLE|idle";
  if (h >= 6 && h < 8) print "c3|64|256G|||batch|DOWN*|down|Not responding|slurm"; else print "c3|64|256G|||batch|" c3;
  if (h >= 4) print "c4|128|512G|||batch,long|IDLE+DRAIN|drained|" "bad memory, slot 3; see ticket 4711|root"; else print "c4|128|512G|||batch,long|IDLE|idle";
  g1 = (h >= 11.5 && h < 13) ? "MIXED|mixed" : "IDLE|idle";
  print "g1|32|512G|4|a100|gpu|" g1;
  if (h >= 12) print "g2|32|512G|4|h100|gpu|IDLE+MAINTENANCE|maintenance|firmware|root";
 }
}
