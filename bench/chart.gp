# The chart of scripts/chart. A bar for each kernel and peer goes from Geoid's time, which is 1, to
# the peer's time, on a logarithmic axis.
# Variables: data (the file that scripts/bench has written), png (the output), peers (their names),
# columns (the column of each peer in data), rows (the number of rows in data).
set terminal pngcairo noenhanced size 880, 150 + 21 * rows background "#ffffff" font "sans,10"
set output png
set datafile separator "\t"
set logscale x 2
least = 1.0 / 64
most = 256.0
set xrange [least : most]
set yrange [rows - 0.4 : -0.6]
set xtics scale 0 textcolor "#444444" ("1/64x" 1.0 / 64, "1/16x" 1.0 / 16, "1/4x" 1.0 / 4, "1x" 1, "4x" 4, "16x" 16, "64x" 64, "256x" 256)
set x2tics scale 0 textcolor "#444444" ("1/64x" 1.0 / 64, "1/16x" 1.0 / 16, "1/4x" 1.0 / 4, "1x" 1, "4x" 4, "16x" 16, "64x" 64, "256x" 256)
set x2range [least : most]
set logscale x2 2
set ytics nomirror scale 0
set grid xtics linecolor "#dddddd" linetype 1
set border 0
set key at screen 0.99, screen 1 - 40.0 / (150 + 21 * rows) top right horizontal samplen 1
set tmargin 6
set title "Time of others for a kernel, as a multiple of Geoid's, on one core: right of 1x Geoid is faster" offset 0, 1.6
set arrow 1 from 1, graph 0 to 1, graph 1 nohead front linecolor "#222222" linewidth 1.5
set style fill solid 1.0 noborder

colour(peer) = peer eq "Intel" ? 0x2f6db3 : peer eq "hand" ? 0xd1662a : 0x8fb7a3
height = 0.8 / words(peers)
clip(x) = x < least ? least : x > most ? most : x
ratio(n) = strcol(n) eq "-" || strcol(2) eq "-" ? 1 : clip(column(n) / column(2)) # 1: no bar. Geoid has the second column
top(n) = column(0) - 0.4 + (n - 1) * height
column_of(n) = int(word(columns, n))

plot data skip 1 using (1):(column(0)):ytic(1) with dots linecolor rgb 0xffffff notitle, \
    for [n = 1:words(peers)] data skip 1 using (1):(top(n)):(1):(ratio(column_of(n))):(top(n)):(top(n) + height) \
    with boxxyerror linecolor rgb colour(word(peers, n)) title word(peers, n)
