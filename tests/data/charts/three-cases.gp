set terminal pdfcairo noenhanced size 11.6875in,2.8021in font 'Helvetica,9' fontscale 0.75 linewidth 1.5 pointscale 1.125
set output 'it’s.pdf'
set encoding utf8
set datafile missing 'NaN'
set border 3 lw 0.8 lc rgb '#404040'
set tics nomirror out scale 0.6,0.3 textcolor rgb '#202020'
set grid ytics lt 1 lw 0.5 lc rgb '#e4e4e4'
unset key
$p0c0 << EOD
0.5 NaN NaN NaN
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
$p1c0 << EOD
0.5 80 75 84
1 65 60 69
1.5 50 45 54
EOD
$p1c1 << EOD
0.5 76 71 80
1 61 56 65
1.5 46 41 50
EOD
$p1c2 << EOD
0.5 72 67 76
1 57 52 61
1.5 42 37 46
EOD
$p1c3 << EOD
0.5 68 63 72
1 53 48 57
1.5 38 33 42
EOD
$p2c0 << EOD
0.5 75 70 79
1 60 55 64
1.5 45 40 49
EOD
$p2c1 << EOD
0.5 71 66 75
1 56 51 60
1.5 41 36 45
EOD
$p2c2 << EOD
0.5 67 62 71
1 52 47 56
1.5 37 32 41
EOD
$p2c3 << EOD
0.5 63 58 67
1 48 43 52
1.5 33 28 37
EOD
set xrange [0.47:1.53]
set yrange [0:100]
set xtics offset 0,0.3 ('0.5' 0.5, '1.0' 1, '1.5' 1.5)
set multiplot
set lmargin at screen 0.06774
set rmargin at screen 0.29055
set tmargin at screen 0.89591
set bmargin at screen 0.20818
set title 'case1' offset 0,-0.6
set ylabel 'Schedulable sets (%)' offset 0.8,0
set xlabel 'Utilisation' offset 0,0.3
plot $p0c0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.15 noborder notitle, \
  $p0c1 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.15 noborder notitle, \
  $p0c2 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.15 noborder notitle, \
  $p0c3 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.15 noborder notitle, \
  $p0c0 using 1:2 with linespoints lc rgb '#0072B2' dt solid lw 1.6 pt 7 ps 0.62 notitle, \
  $p0c1 using 1:2 with linespoints lc rgb '#0072B2' dt (10,6) lw 1.6 pt 6 ps 0.62 notitle, \
  $p0c2 using 1:2 with linespoints lc rgb '#D55E00' dt solid lw 1.6 pt 9 ps 0.62 notitle, \
  $p0c3 using 1:2 with linespoints lc rgb '#D55E00' dt (10,6) lw 1.6 pt 8 ps 0.62 notitle
set lmargin at screen 0.33333
set rmargin at screen 0.55615
set tmargin at screen 0.89591
set bmargin at screen 0.20818
set title 'case2' offset 0,-0.6
unset ylabel
set xlabel 'Utilisation' offset 0,0.3
plot $p1c0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.15 noborder notitle, \
  $p1c1 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.15 noborder notitle, \
  $p1c2 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.15 noborder notitle, \
  $p1c3 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.15 noborder notitle, \
  $p1c0 using 1:2 with linespoints lc rgb '#0072B2' dt solid lw 1.6 pt 7 ps 0.62 notitle, \
  $p1c1 using 1:2 with linespoints lc rgb '#0072B2' dt (10,6) lw 1.6 pt 6 ps 0.62 notitle, \
  $p1c2 using 1:2 with linespoints lc rgb '#D55E00' dt solid lw 1.6 pt 9 ps 0.62 notitle, \
  $p1c3 using 1:2 with linespoints lc rgb '#D55E00' dt (10,6) lw 1.6 pt 8 ps 0.62 notitle
set lmargin at screen 0.59893
set rmargin at screen 0.82175
set tmargin at screen 0.89591
set bmargin at screen 0.20818
set title 'case3' offset 0,-0.6
unset ylabel
set xlabel 'Utilisation' offset 0,0.3
plot $p2c0 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.15 noborder notitle, \
  $p2c1 using 1:3:4 with filledcurves fc rgb '#0072B2' fs transparent solid 0.15 noborder notitle, \
  $p2c2 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.15 noborder notitle, \
  $p2c3 using 1:3:4 with filledcurves fc rgb '#D55E00' fs transparent solid 0.15 noborder notitle, \
  $p2c0 using 1:2 with linespoints lc rgb '#0072B2' dt solid lw 1.6 pt 7 ps 0.62 notitle, \
  $p2c1 using 1:2 with linespoints lc rgb '#0072B2' dt (10,6) lw 1.6 pt 6 ps 0.62 notitle, \
  $p2c2 using 1:2 with linespoints lc rgb '#D55E00' dt solid lw 1.6 pt 9 ps 0.62 notitle, \
  $p2c3 using 1:2 with linespoints lc rgb '#D55E00' dt (10,6) lw 1.6 pt 8 ps 0.62 notitle
unset title
unset xlabel
unset ylabel
unset border
unset tics
unset grid
set key at screen 0.83422,0.96283 left top Left reverse samplen 3 spacing 1.15
set tmargin at screen 1
set bmargin at screen 0
plot NaN with linespoints lc rgb '#0072B2' dt solid lw 1.6 pt 7 ps 0.62 title 'rtgpu (safe)', \
  NaN with linespoints lc rgb '#0072B2' dt (10,6) lw 1.6 pt 6 ps 0.62 title 'rtgpu (as published)', \
  NaN with linespoints lc rgb '#D55E00' dt solid lw 1.6 pt 9 ps 0.62 title 'stgm (safe)', \
  NaN with linespoints lc rgb '#D55E00' dt (10,6) lw 1.6 pt 8 ps 0.62 title 'stgm (as published)'
unset multiplot
unset output
