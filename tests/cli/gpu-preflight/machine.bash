# Sourced by the cases: machines made of files. sys and proc stand for /sys and /proc, nvidia-smi answers from smi/ (see
# there), libcuda.so.1 is fake_libcuda.c, and libnvidia-ml.so.1, which reads the same smi/, fake_libnvidia_ml.c; it is
# asked where NVML=../libnvidia-ml.so.1. `check` runs gpu-preflight on one, `findings` shows what it finds.
unset CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER LLM_BENCH_DIR
gcc -shared -fPIC -O1 -o libcuda.so.1 "$CASE/../fake_libcuda.c"
gcc -shared -fPIC -O1 -o libnvidia-ml.so.1 "$CASE/../fake_libnvidia_ml.c"

# machine NAME: begins one, in a folder of its own, with the sound cards at the addresses that follow.
machine() {
  cd "$top" || exit
  echo "== $1"
  mkdir -p "$1" && cd "$1" || exit
  mkdir -p sys/bus/pci/devices sys/devices/system/node proc smi
  echo 'MemAvailable:   209715200 kB' >proc/meminfo
  : >kernel.log
  cp ../nvidia-smi .
  local index=0 address
  for address in "${@:2}"; do nvidia $((index++)) "$address"; done
}
top=$PWD

# device PATH VENDOR CLASS: a PCI device; PATH is its way from the root, "0000:00:01.0/0000:01:00.0".
device() {
  local folder=sys/devices/pci0000:00/$1 address=${1##*/}
  mkdir -p "$folder"
  echo "$2" >"$folder/vendor"
  echo "$3" >"$folder/class"
  ln -sfn "../../../devices/pci0000:00/$1" "sys/bus/pci/devices/$address"
}

# link PATH GT/S WIDTH MAX-GT/S MAX-WIDTH: the link of a device; aer PATH CORRECTABLE NONFATAL FATAL: its errors.
link() {
  local folder=sys/devices/pci0000:00/$1
  echo "$2 GT/s PCIe" >"$folder/current_link_speed"
  echo "$3" >"$folder/current_link_width"
  echo "$4 GT/s PCIe" >"$folder/max_link_speed"
  echo "$5" >"$folder/max_link_width"
}
aer() {
  local folder=sys/devices/pci0000:00/$1
  printf 'RxErr %s\nBadTLP 0\nTOTAL_ERR_COR %s\n' "$2" "$2" >"$folder/aer_dev_correctable"
  printf 'TLP %s\nTOTAL_ERR_NONFATAL %s\n' "$3" "$3" >"$folder/aer_dev_nonfatal"
  printf 'TLP %s\nTOTAL_ERR_FATAL %s\n' "$4" "$4" >"$folder/aer_dev_fatal"
}

# nvidia INDEX ADDRESS: a sound card behind a root port, known to nvidia-smi.
nvidia() {
  local port=0000:00:0$(($1 + 1)).0
  device "$port" 0x8086 0x060400
  device "$port/$2" 0x10de 0x030000
  link "$port" 32.0 16 32.0 16
  link "$port/$2" 32.0 16 32.0 16
  aer "$port" 0 0 0
  aer "$port/$2" 0 0 0
  cat >"smi/$1" <<END
index=$1
name=NVIDIA Sample-A 32GB
uuid=GPU-0000000$1-aaaa
pci.bus_id=0000${2^^}
driver_version=580.00.01
pstate=P8
temperature.gpu=41
utilization.gpu=0 %
memory.total=32607 MiB
memory.free=32109 MiB
memory.used=498 MiB
fan.speed=30 %
power.draw=71.25 W
pcie.link.gen.current=5
pcie.link.gen.max=5
pcie.link.width.current=16
pcie.link.width.max=16
persistence_mode=Enabled
mig.mode.current=[N/A]
ecc.errors.corrected.volatile.total=0
ecc.errors.uncorrected.volatile.total=0
ecc.errors.uncorrected.aggregate.total=0
retired_pages.pending=No
clocks_event_reasons.hw_slowdown=Not Active
clocks_event_reasons.hw_thermal_slowdown=Not Active
clocks_event_reasons.hw_power_brake_slowdown=Not Active
clocks_event_reasons.sw_thermal_slowdown=Not Active
END
}

# set_field INDEX FIELD VALUE: what nvidia-smi says; set_under_load: what it says while data is copied.
set_field() { sed -i "s|^$2=.*|$2=$3|" "smi/$1"; }
set_under_load() { echo "$2=$3" >>"smi/$1.load"; }

# smi/N holds FIELD=VALUE of card N; smi/apps and smi/remapped are rows; smi/message comes before the rows;
# smi/hook is run while data is copied, smi/hook.apps and smi/hook.remapped before those rows. With smi/lost, an
# address, a question about all cards, or about that one, ends as it does for a lost card.
cat >nvidia-smi <<'END'
#!/bin/bash
what=${1%%=*} fields=${1#*=} only=
[[ ${*: -1} == --id=* ]] && only=${*: -1} only=${only#--id=}
if [[ -e smi/lost && ( -z $only || $only == *$(<smi/lost)* ) ]]; then
  echo "Unable to determine the device handle for GPU $(<smi/lost): GPU is lost.  Reboot the system to recover this GPU"
  exit 15
fi
case $what in
  --query-compute-apps)
    [[ -e smi/hook.apps ]] && . smi/hook.apps
    echo "pid, process_name, used_gpu_memory [MiB], gpu_uuid, gpu_bus_id"
    cat smi/apps 2>/dev/null
    exit 0 ;;
  --query-remapped-rows)
    [[ -e smi/hook.remapped ]] && . smi/hook.remapped
    echo "gpu_bus_id, remapped_rows.pending, remapped_rows.failure"
    cat smi/remapped 2>/dev/null
    exit 0 ;;
esac
[[ -e copying && -e smi/hook ]] && . smi/hook
cat smi/message 2>/dev/null
first=$(ls smi/[0-9] 2>/dev/null | head -1)
for field in ${fields//,/ }; do
  [[ -z $first ]] || grep -q "^$field=" "$first" || { echo "Field \"$field\" is not a valid field to query."; exit 2; }
done
echo "${fields//,/, }"
for card in smi/[0-9]; do
  address=$(sed -n 's/^pci.bus_id=0000//p' "$card")
  [[ -n $only && $only != *${address,,}* ]] && continue
  load=/dev/null
  [[ -e copying && -e $card.load ]] && load=$card.load
  awk -F= -v fields="$fields" '
    { value[$1] = substr($0, length($1) + 2) }
    END { n = split(fields, name, ","); for (i = 1; i <= n; ++i) printf "%s%s", value[name[i]], i < n ? ", " : "\n" }' "$card" "$load"
done
exit "$(cat smi/status 2>/dev/null || echo 0)"
END
chmod +x nvidia-smi

check() {
  gpu-preflight --nvidia-smi "${SMI:-./nvidia-smi}" --nvml "${NVML:-none}" --rocm-smi ./rocm-smi --libcuda ../libcuda.so.1 --sysfs-root sys --proc-root proc \
    --kernel-log kernel.log --wake-up 0.2 "$@"
}

# amd ADDRESS: a card of 192 GiB; rocm: begins a rocm-smi that prints its stdin.
amd() {
  device "$1" 0x1002 0x120000
  link "$1" 32.0 16 32.0 16
  aer "$1" 0 0 0
  echo 206158430208 >"sys/bus/pci/devices/$1/mem_info_vram_total"
  echo 297795584 >"sys/bus/pci/devices/$1/mem_info_vram_used"
}
rocm() {
  cat >rocm.json
  printf '#!/bin/sh\necho "$*" >asked; cat rocm.json; exit %s\n' "${1:-0}" >rocm-smi
  chmod +x rocm-smi
}

# The findings of each severity of a record, a line each, and the status.
findings() {
  check "$@" --quiet >record
  local status=$?
  grep -oP '\{"severity":"(red|warn|note)","kind":"[a-z_]+","gpu":[^,]*' record | sed -E 's/[{"]|severity:|kind:|gpu://g; s/,/ /g'
  echo "status $status"
}

# Takes out what the machine beneath has a say in.
steady() {
  sed -E 's/"(memlock_bytes|stack_bytes|descriptors|free_disk_bytes)":[0-9a-z]+/"\1":0/g
    s/"copy_node":[0-9]+/"copy_node":0/g; s/"container":"?[a-z]+"?/"container":null/'
}
