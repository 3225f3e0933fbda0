# Pictures of docs/boundary-uses.md, from the files that examples 28 and 30 write:
#   gnuplot -e "fit = 'fit.dat'; arm = 'arm.dat'; folder = 'docs/images'" docs/images/boundary-uses.gp
set border 3 lw 1 lc rgb '#444444'
set tics nomirror out textcolor rgb '#444444'
set grid lc rgb '#eeeeee' lt 1
blue = '#0072b2'; orange = '#d55e00'; green = '#009e73'

set terminal svg dynamic size 1200,720 font 'DejaVu Sans,12' fontscale 1.33 background '#ffffff'
set output folder.'/parameter-estimation.svg'
set lmargin at screen 0.09
set rmargin at screen 0.97
set multiplot
set tmargin at screen 0.96
set bmargin at screen 0.48
set key top center Left reverse samplen 2
set format x ''
set ylabel 'q1'
set yrange [-0.05:0.55]
set ytics 0.1
plot fit using 1:5 with lines lw 2 lc rgb green title 'true', \
     fit using 1:2 with points pt 7 ps 0.6 lc rgb orange title 'measured'
set tmargin at screen 0.44
set bmargin at screen 0.11
set format x '%g'
set xlabel 't'
set ylabel 'less the fit'
set yrange [-0.016:0.024]
set ytics 0.008
set style fill solid 0.2 noborder
plot fit using 1:(-$4):4 with filledcurves lc rgb blue title 'confidence interval of the fit, 95 %', \
     fit using 1:($5-$3) with lines lw 2 lc rgb green title 'true', \
     fit using 1:($2-$3) with points pt 7 ps 0.6 lc rgb orange title 'measured'
unset multiplot

set terminal svg dynamic size 1200,480 font 'DejaVu Sans,12' fontscale 1.33 background '#ffffff'
set output folder.'/minimum-effort.svg'
set multiplot
set tmargin at screen 0.95
set bmargin at screen 0.16
set lmargin at screen 0.08
set rmargin at screen 0.47
set key top right
set yrange [0.2:1.3]
set ytics auto
set ylabel 'angle q1'
plot arm index 0 using 1:2 with lines lw 2 lc rgb blue title 'without weight', \
     arm index 1 using 1:2 with lines lw 2 lc rgb orange title 'with weight 20'
set lmargin at screen 0.58
set rmargin at screen 0.97
set key top left Left reverse samplen 2
set yrange [-20:30]
set ylabel 'torques'
plot arm index 0 using 1:3 with lines lw 2 lc rgb blue title 'u1, without weight', \
     arm index 0 using 1:4 with lines lw 2 dt 2 lc rgb blue title 'u2', \
     arm index 1 using 1:3 with lines lw 2 lc rgb orange title 'u1, with weight 20', \
     arm index 1 using 1:4 with lines lw 2 dt 2 lc rgb orange title 'u2'
unset multiplot
