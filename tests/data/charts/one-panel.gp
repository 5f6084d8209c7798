set terminal svg noenhanced size 612,251 font 'Helvetica,12' background rgb 'white'
set output 'sample.svg'
set encoding utf8
set datafile missing 'NaN'
set border 3 lw 0.8 lc rgb '#404040'
set tics nomirror out scale 0.6,0.3 textcolor rgb '#202020'
set grid ytics lt 1 lw 0.5 lc rgb '#e4e4e4'
unset key
$p0c0 << EOD
0.5 85 80 89
1 70 65 74
1.5 55 50 59
EOD
$p0c1 << EOD
0.5 81 76 85
1 66 61 70
1.5 51 46 55
EOD
$p0c2 << EOD
0.5 77 72 81
1 62 57 66
1.5 47 42 51
EOD
$p0c3 << EOD
0.5 73 68 77
1 58 53 62
1.5 43 38 47
EOD
set xrange [0.47:1.53]
set yrange [0:100]
set xtics offset 0,0.3 ('0.5' 0.5, '1.0' 1, '1.5' 1.5)
set multiplot
set lmargin at screen 0.12418
set rmargin at screen 0.53268
set tmargin at screen 0.96016
set bmargin at screen 0.22311
unset title
set ylabel 'Schedulable sets (%)' offset 0.8,0
set xlabel 'Utilisation' offset 0,0.7
plot $p0c0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.15 noborder notitle, \
  $p0c1 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.15 noborder notitle, \
  $p0c2 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.15 noborder notitle, \
  $p0c3 using 1:3:4 with filledcurves fc rgb '#009E73' fs transparent solid 0.15 noborder notitle, \
  $p0c0 using 1:2 with linespoints lc rgb '#0072B2' dt solid lw 1.6 pt 7 ps 0.62 notitle, \
  $p0c1 using 1:2 with linespoints lc rgb '#0072B2' dt (10,6) lw 1.6 pt 6 ps 0.62 notitle, \
  $p0c2 using 1:2 with linespoints lc rgb '#009E73' dt (10,6) lw 1.6 pt 4 ps 0.62 notitle, \
  $p0c3 using 1:2 with linespoints lc rgb '#009E73' dt (14,5,3,5) lw 1.6 pt 5 ps 0.62 notitle
unset title
unset xlabel
unset ylabel
unset border
unset tics
unset grid
set key at screen 0.55556,0.96016 left top Left reverse samplen 3 spacing 1.15
set tmargin at screen 1
set bmargin at screen 0
plot NaN with linespoints lc rgb '#0072B2' dt solid lw 1.6 pt 7 ps 0.62 title 'gcaps.suspend.prio (safe)', \
  NaN with linespoints lc rgb '#0072B2' dt (10,6) lw 1.6 pt 6 ps 0.62 title 'gcaps.suspend.prio (as published)', \
  NaN with linespoints lc rgb '#009E73' dt (10,6) lw 1.6 pt 4 ps 0.62 title 'mpcp.busy (safe)', \
  NaN with linespoints lc rgb '#009E73' dt (14,5,3,5) lw 1.6 pt 5 ps 0.62 title 'mpcp.busy (as published)'
unset multiplot
unset output
