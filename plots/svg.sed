# svg.sed - what plots/make.sh makes shorter in gnuplot's SVG: numbers, names of the font (it stands
# at the top), the defaults of SVG. Lines of text keep their blanks and numbers.
s/^<svg *$/<svg font-family="DejaVu Sans, Verdana, sans-serif" xml:space="preserve"/
/<text/!{
    s/([0-9])\.00([^0-9])/\1\2/g
    s/(\.[0-9])0([^0-9])/\1\2/g
    s/^[ \t]+//
    s/[ \t]+$//
    s/  +/ /g
}
s/ stroke-linecap="butt" stroke-linejoin="miter"//
s/ font-family="DejaVu Sans" */ /g
s/<tspan >([^<]*)<\/tspan>/\1/g
s/rgb\( *([0-9]+), *([0-9]+), *([0-9]+)\)/rgb(\1,\2,\3)/g
s/ class="gridline"//
/^$/d
