# The chart of scripts/chart. A bar for each kernel and peer goes from Geoid's time, which is 1, to
# the peer's time, on a logarithmic axis. Each set of kernels is a column of the chart.
# Variables: files (the times of each set: row, Geoid, peers), png (the output), peers (their
# names, in the order of the columns), rows (the number of rows of the longer set).
pixels = 150 + 21 * rows
set terminal pngcairo noenhanced size 640 * words(files), pixels background "#ffffff" font "sans,10"
set output png
set datafile separator "\t"
set logscale x 2
least = 1.0 / 64
most = 64.0
set xrange [least : most]
set yrange [rows - 0.4 : -0.6]
set xtics scale 0 textcolor "#444444" ("1/64x" 1.0 / 64, "1/16x" 1.0 / 16, "1/4x" 1.0 / 4, "1x" 1, "4x" 4, "16x" 16, "64x" 64)
set x2tics scale 0 textcolor "#444444" ("1/64x" 1.0 / 64, "1/16x" 1.0 / 16, "1/4x" 1.0 / 4, "1x" 1, "4x" 4, "16x" 16, "64x" 64)
set x2range [least : most]
set logscale x2 2
set ytics nomirror scale 0
set grid xtics linecolor "#dddddd" linetype 1
set border 0
set style fill solid 1.0 noborder
set arrow 1 from 1, graph 0 to 1, graph 1 nohead front linecolor "#222222" linewidth 1.5

colour(peer) = peer eq "Intel" ? 0x2f6db3 : peer eq "hand" ? 0xd1662a : peer eq "C" ? 0xa8a8a8 : 0x8fb7a3
height = 0.8 / words(peers)
clip(x) = x < least ? least : x > most ? most : x
ratio(n) = strcol(n + 2) eq "-" || strcol(2) eq "-" ? 1 : clip(column(n + 2) / column(2)) # 1: no bar
top(n) = column(0) - 0.4 + (n - 1) * height
title_of(file) = strstrt(file, "second-one") ? "Second set: Geoid is not tuned with it" : "First set: Geoid is tuned with it"

set multiplot layout 1, words(files) \
    title "Time of others for a kernel, as a multiple of Geoid's, on one core: right of 1x Geoid is faster"
set tmargin 7
do for [s = 1:words(files)] {
    set title title_of(word(files, s)) offset 0, 1.6
    unset key
    if (s == words(files)) {
        set key at screen 0.99, screen 1 - 10.0 / pixels top right horizontal samplen 1
    }
    plot word(files, s) using (1):(column(0)):ytic(1) with dots linecolor rgb 0xffffff notitle, \
        for [n = 1:words(peers)] word(files, s) using (1):(top(n)):(1):(ratio(n)):(top(n)):(top(n) + height) \
            with boxxyerror linecolor rgb colour(word(peers, n)) title word(peers, n)
}
unset multiplot
