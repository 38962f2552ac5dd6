# Completion of kyoho in bash; written by `kyoho --completion bash`.
_kyoho() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} commands models words
    if [ "$word" = '=' ]; then
        word=
    elif [ "$before" = '=' ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    commands='model run force tune info draw view convert merge neighbours density groups binaries profile power orbit field bench devices verify few haloes'
    models='plummer uniform-sphere uniform-cube hernquist jaffe nfw king two-body random figure8 super8 cosmic cosmic-box galaxy cartwheel merger'
    if [ "$COMP_CWORD" -eq 1 ]; then
        command=kyoho words="$commands help --help --version"
    fi
    case $command in
    kyoho) ;;
    help)
        words="$commands units --all"
        [ "$before" != model ] || words="$models --all" ;;
    model)
        words=' --help --json --quiet --bodies --seed --softening --softening-kind --mass --radius --g --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --omega-b --hubble --sigma8 --spectral-index --side --a-s --spectrum --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega --units --output --format --compress --overwrite'
        [ "$COMP_CWORD" -gt 2 ] || words="$models$words"
        case $before in
        --softening-kind) words='plummer symmetric spline' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --format) words='by-name hdf5 tipsy csv' ;;
        esac ;;
    run)
        words=' --help --json --quiet --output --end --end-z --steps --every --at --at-z --shorten --energy-every --restart-every --max-wall --core --follow --stop-core --escape-radius --escapers --groups-every --linking-length --linking-fraction --groups-minimum --collisions --stellar-evolution --compress --pieces --overwrite --resume --dry-run --write-ini --view --view-port --view-bodies --view-frame --engine --isa --threads --ranks --tree --force --error --opening --theta --alpha --cell --multipole --order --curve --leaf --group --precision --softening --softening-kind --g --field --mutual --box --integrator --expansion --step --eta --softening-max --late-step --step-a --step-max --step-min --step-length --corrections --groups --group-radius --orbit-steps --tolerance --slow-down --stop-collision --stop-pair --stop-escape --stop-box --body-radius --input --model --units --physical --as-stored --types --convention --renumber --bodies --seed --mass --radius --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --omega-b --hubble --sigma8 --spectral-index --side --a-s --spectrum --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega'
        case $before in
        --collisions) words='stop merge' ;;
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        --force) words='direct walk list tree fmm auto' ;;
        --opening) words='geometric offset minimum relative' ;;
        --cell) words='box edge' ;;
        --multipole) words='1 2' ;;
        --curve) words='none morton hilbert' ;;
        --precision) words='single extended double mixed' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        --integrator) words='leapfrog block hermite4 few' ;;
        --expansion) words='bodies omega-m' ;;
        --model) words=$models ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        esac ;;
    force)
        words=' --help --json --quiet --check --repeat --dry-run --engine --isa --threads --tree --force --error --opening --theta --alpha --cell --multipole --order --curve --leaf --group --precision --softening --softening-kind --g --field --mutual --box --input --model --units --physical --as-stored --types --convention --renumber --bodies --seed --mass --radius --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --omega-b --hubble --sigma8 --spectral-index --side --a-s --spectrum --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega --output --format --compress --overwrite'
        case $before in
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        --force) words='direct walk list tree fmm auto' ;;
        --opening) words='geometric offset minimum relative' ;;
        --cell) words='box edge' ;;
        --multipole) words='1 2' ;;
        --curve) words='none morton hilbert' ;;
        --precision) words='single extended double mixed' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        --model) words=$models ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        --format) words='by-name hdf5 tipsy csv' ;;
        esac ;;
    tune)
        words=' --help --json --quiet --error --seconds --check --repeat --engine --isa --threads --tree --force --opening --cell --multipole --order --curve --leaf --group --precision --softening --softening-kind --g --field --input --model --units --physical --as-stored --types --convention --renumber --bodies --seed --mass --radius --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --omega-b --hubble --sigma8 --spectral-index --side --a-s --spectrum --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega'
        case $before in
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        --force) words='direct walk list tree fmm auto' ;;
        --opening) words='geometric offset minimum relative' ;;
        --cell) words='box edge' ;;
        --multipole) words='1 2' ;;
        --curve) words='none morton hilbert' ;;
        --precision) words='single extended double mixed' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        --model) words=$models ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        esac ;;
    info)
        words=' --help --json --physical --as-stored --types --convention --renumber --units'
        case $before in
        --convention) words='file gadget swift' ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        esac ;;
    draw)
        words=' --help --json --quiet --output --panels --groups --live --look-every --patience --plot --x --y --logarithmic --label --rate --frames --turn-to --tilt-to --region-to --at-once --axis --show --rim --turn --tilt --width --height --columns --region --centre-x --centre-y --centre-z --about --fraction --slab --colours --brightness --range --peak --smooth --speed --trails --divide --title --overwrite --physical --as-stored --types --convention --renumber'
        case $before in
        --plot) words='energy radii errors table' ;;
        --logarithmic) words='none x y both' ;;
        --axis) words='x y z' ;;
        --show) words='density components velocity trails stars auto' ;;
        --rim) words='axes scale none' ;;
        --about) words='density mass group auto' ;;
        --colours) words='ember ice gray viridis' ;;
        --brightness) words='asinh log linear' ;;
        --convention) words='file gadget swift' ;;
        esac ;;
    view)
        words=' --help --json --max-wall --view-port --view-bodies --view-frame'
        case $before in
        esac ;;
    convert)
        words=' --help --json --quiet --output --format --compress --overwrite --physical --as-stored --types --convention --renumber --units --turn --position --velocity --orientation'
        case $before in
        --format) words='by-name hdf5 tipsy csv' ;;
        --convention) words='file gadget swift' ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        esac ;;
    merge)
        words=' --help --json --quiet --separation --pericentre --eccentricity --g --softening --mass --radius --first-inclination --first-omega --second-inclination --second-omega --units --physical --as-stored --types --convention --renumber --output --format --compress --overwrite'
        case $before in
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --format) words='by-name hdf5 tipsy csv' ;;
        esac ;;
    neighbours)
        words=' --help --json --quiet --radius --nearest --lists --output --overwrite --engine --isa --threads --tree --box --input --model --units --physical --as-stored --types --convention --renumber --bodies --seed --softening --softening-kind --mass --g --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --omega-b --hubble --sigma8 --spectral-index --side --a-s --spectrum --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega'
        case $before in
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        --model) words=$models ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        esac ;;
    density)
        words=' --help --json --quiet --neighbours --output --overwrite --engine --isa --threads --tree --box --input --model --units --physical --as-stored --types --convention --renumber --bodies --seed --softening --softening-kind --mass --radius --g --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --omega-b --hubble --sigma8 --spectral-index --side --a-s --spectrum --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega'
        case $before in
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        --model) words=$models ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        esac ;;
    groups)
        words=' --help --json --quiet --linking-length --linking-fraction --volume --minimum --output --overwrite --engine --isa --threads --tree --box --input --model --units --physical --as-stored --types --convention --renumber --bodies --seed --softening --softening-kind --mass --radius --g --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --omega-b --hubble --sigma8 --spectral-index --side --a-s --spectrum --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega'
        case $before in
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        --model) words=$models ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        esac ;;
    binaries)
        words=' --help --json --quiet --output --overwrite --hierarchies --engine --isa --threads --tree --softening --softening-kind --g --input --model --units --physical --as-stored --types --convention --renumber --bodies --seed --mass --radius --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --omega-b --hubble --sigma8 --spectral-index --side --a-s --spectrum --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega'
        case $before in
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        --model) words=$models ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        esac ;;
    profile)
        words=' --help --json --quiet --shells --inner --outer --centre-x --centre-y --centre-z --axis --g --box --output --overwrite --title --width --height --threads --input --model --units --physical --as-stored --types --convention --renumber --bodies --seed --softening --softening-kind --mass --radius --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --omega-b --hubble --sigma8 --spectral-index --side --a-s --spectrum --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega'
        case $before in
        --axis) words='x y z' ;;
        --model) words=$models ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        esac ;;
    power)
        words=' --help --json --quiet --mesh --fold --cross --cross-types --box --subtract-noise --output --overwrite --title --width --height --physical --as-stored --types --convention --renumber'
        case $before in
        --convention) words='file gadget swift' ;;
        esac ;;
    orbit)
        words=' --help --json --quiet --position --velocity --start --end --rows --turn --units --output --overwrite --title --width --height --engine --isa --threads --tree --g --field'
        case $before in
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        esac ;;
    field)
        words=' --help --json --quiet --position --time --units --output --overwrite --engine --isa --threads --tree --g --field'
        case $before in
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        esac ;;
    bench)
        words=' --help --json --engine --isa --threads --tree --cell --curve --leaf --group --softening --softening-kind --g'
        case $before in
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        --cell) words='box edge' ;;
        --curve) words='none morton hilbert' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        esac ;;
    devices)
        words=' --help --json'
        case $before in
        esac ;;
    verify)
        words=' --help --json --quiet --keep'
        case $before in
        esac ;;
    few)
        words=' --help --json --quiet --end --every --units --output --overwrite --engine --isa --threads --g --orbit-steps --tolerance --slow-down --stop-collision --stop-escape --body-radius'
        case $before in
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        esac ;;
    haloes)
        words=' --help --json --quiet --bins --sigma8 --spectral-index --omega-b --spectrum --linking-length --linking-fraction --volume --minimum --output --overwrite --title --width --height --engine --isa --threads --tree --box --input --model --units --physical --as-stored --types --convention --renumber --bodies --seed --softening --softening-kind --mass --radius --g --mass-function --rotation --binaries --binary-periods --binary-axis-min --binary-axis-max --binary-eccentricities --binary-ratios --eigenevolution --position --velocity --orientation --cutoff --virial-ratio --w0 --eccentricity --mass-ratio --semi-major-axis --size --galaxy-radius --sphere-radius --redshift --omega-m --omega-lambda --hubble --side --a-s --fixed --opposite --lattice --plt --halo-mass --disk-mass --bulge-mass --disk-share --bulge-share --halo-scale --halo-edge --bulge-scale --bulge-edge --disk-scale --disk-height --disk-edge --q --halo-softening --disk-softening --bulge-softening --intruder-mass --intruder-radius --intruder-height --separation --pericentre --first-inclination --first-omega --second-inclination --second-omega'
        case $before in
        --engine) words='auto cpu cuda opencl' ;;
        --isa) words='auto plain sse2 avx2 avx512 neon' ;;
        --tree) words='host device' ;;
        --model) words=$models ;;
        --units) words='nbody galaxy cluster cosmic planets' ;;
        --convention) words='file gadget swift' ;;
        --softening-kind) words='plummer symmetric spline' ;;
        --mass-function) words='equal salpeter kroupa' ;;
        --binary-periods) words='mixed kroupa sana log-uniform' ;;
        --binary-eccentricities) words='by-periods thermal sana circular' ;;
        --binary-ratios) words='massive random' ;;
        --lattice) words='cubic bcc' ;;
        esac ;;
    esac
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(compgen -W "$words" -- "$word")
}
complete -o default -F _kyoho kyoho
