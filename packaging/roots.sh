# shellcheck shell=sh disable=SC2154 # the script sets `folder` and `root`
# For packaging/try-systems and packaging/wheel: empty roots of other systems by debootstrap.

say() { printf '%s\n' "$*"; }
fail() {
    say "$(basename "$0"): $*" >&2
    exit 2
}

# Parts of the archive, and the script of debootstrap, which may be older than the system.
kind() {
    case $1 in
    noble | resolute) say "main,universe gutsy" ;;
    *) say "main sid" ;;
    esac
}

# The mirrors of this machine, except archives of security updates.
mirrors() {
    if [ -n "${MIRROR:-}" ]; then say "$MIRROR"; else
        apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | sort -u
    fi
}
mirror_of() { # system
    for mirror in $(mirrors); do
        if /usr/lib/apt/apt-helper download-file "${mirror%/}/dists/$1/InRelease" "$folder/InRelease" >/dev/null 2>&1; then
            say "$mirror"
            break
        fi
    done
    rm -f "$folder/InRelease"
}

# Copies the certificates of this machine, which pip needs too. The package ca-certificates makes its file anew, from those in
# /usr/local among others.
trust() { # root
    [ -e /etc/ssl/certs/ca-certificates.crt ] || return 0
    for place in etc/ssl/certs/ca-certificates.crt usr/local/share/ca-certificates/machine.crt; do
        mkdir -p "$(dirname "$1/$place")"
        cp /etc/ssl/certs/ca-certificates.crt "$1/$place"
    done
}

# Makes an empty root, with these packages, that reaches the mirrors as this machine does.
make_root() { # system mirror parts script [packages]
    rm -rf "${root:?}"
    debootstrap --variant=minbase ${5:+--include="$5"} --components="$3" "$1" "$root" "$2" "/usr/share/debootstrap/scripts/$4" &&
        apt-config dump | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/90machine" &&
        cp /etc/resolv.conf "$root/etc/" && trust "$root"
}

# The last commit of this checkout, in the root.
clone() { git clone -q . "$root/root/kyoho"; }

# Runs a command in a folder of the root. Its mounts end with its namespace. The CUDA toolkit in the folder `toolkit` is there too.
within() { # folder command
    cuda=${toolkit:-}
    if [ -n "$cuda" ]; then
        mkdir -p "$root$cuda" "$root/usr/local"
        [ -e "$root/usr/local/cuda" ] || ln -s "$cuda" "$root/usr/local/cuda"
    fi
    unshare -m --propagation private sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
            { [ -z "$4" ] || mount --bind "$4" "$1$4"; } &&
            HOME=/root LC_ALL=C.UTF-8 exec chroot "$1" sh -c "cd /$2 && $3"' sh "$root" "$1" "$2" "$cuda"
}

# Before the first root: `folder` is where they will be.
begin() {
    [ "$(id -u)" -eq 0 ] || fail "only root can make a root: run it as root"
    command -v debootstrap >/dev/null || fail "there is no debootstrap: apt-get install debootstrap"
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
}
