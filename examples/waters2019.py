#!/usr/bin/env python3
"""A model of AMALTHEA in the shape of the WATERS challenge 2019, a car with a Jetson TX2:

    python3 examples/waters2019.py > waters2019.amxmi
    tactus import waters2019.amxmi -o waters2019.system.json --report

Periods and longest times are those that were published for the challenge; the mapping to cores, which
tasks use the GPU, and the list of chains are ours. The model itself is not in it.
"""
TIMES = {  # longest times of runnables in ms
    #                     A57     Denver  GPU
    "OS_overhead":       (50.0,   50.0,   None),
    "lidar":             (13.66,  10.868, None),
    "CAN":               (0.6,    0.6,    None),
    "EKF":               (4.76,   4.43,   None),
    "plan":              (13.242, 12.437, None),
    "DASM":              (1.86,   1.3,    None),
    "SFM_before":        (3.73,   3.178,  None),
    "SFM":               (None,   None,   7.9),
    "SFM_after":         (4.174,  3.533,  None),
    "detection_before":  (3.69,   3.178,  None),
    "detection":         (None,   None,   116.0),
    "detection_after":   (1.02,   0.908,  None),
    "lane_detection":    (59.278, 49.864, None),
    "localization":      (405.06, 309.324, None),
}

TASKS = [  # name, period in ms, runnables, core; a runnable in brackets runs on the GPU
    ("OS_Overhead", 100, ["OS_overhead"], "A57_1"),
    ("Lidar_Grabber", 33, ["lidar"], "Denver_0"),
    ("CANbus_polling", 10, ["CAN"], "A57_0"),
    ("EKF", 15, ["EKF"], "A57_1"),
    ("Planner", 15, ["plan"], "A57_0"),
    ("DASM", 5, ["DASM"], "A57_2"),
    ("SFM", 33, ["SFM_before", "(SFM)", "SFM_after"], "Denver_0"),
    ("Detection", 200, ["detection_before", "(detection)", "detection_after"], "A57_2"),
    ("Lane_detection", 66, ["lane_detection"], "A57_3"),
    ("Localization", 400, ["localization"], "Denver_1"),
]

CHAINS = [
    ["Lidar_Grabber", "Localization", "EKF", "Planner", "DASM"],
    ["CANbus_polling", "EKF", "Planner", "DASM"],
    ["SFM", "Planner", "DASM"],
    ["Lane_detection", "Planner", "DASM"],
    ["Detection", "Planner", "DASM"],
]

UNITS = [("A57", 4), ("Denver", 2)]
CPU_GHZ, GPU_GHZ = 2.0, 1.5


def ticks(milliseconds, ghz):
    return round(milliseconds * ghz * 1e6)


def runnable(name):
    out = f'<runnables name="{name}"><activityGraph><items xsi:type="am:Ticks">\n'
    for unit, time, ghz in zip(("A57", "Denver", "GPU"), TIMES[name], (CPU_GHZ, CPU_GHZ, GPU_GHZ)):
        if time is not None:
            out += (f'  <extended key="{unit}?type=ProcessingUnitDefinition"><value '
                    f'xsi:type="am:DiscreteValueConstant" value="{ticks(time, ghz)}"/></extended>\n')
    return out + "</items></activityGraph></runnables>\n"


def task(name, stimulus, calls):
    out = f'<tasks name="{name}" stimuli="{stimulus}"><activityGraph>\n'
    for call in calls:
        if call.startswith("("):
            out += f'  <items xsi:type="am:InterProcessTrigger" stimulus="{call[1:-1]}_asked"/>\n'
            out += '  <items xsi:type="am:WaitEvent"/>\n'
        else:
            out += f'  <items xsi:type="am:RunnableCall" runnable="{call}"/>\n'
    return out + "</activityGraph></tasks>\n"


def model():
    gpu_tasks = [(call[1:-1], f"{call[1:-1]}_asked") for _, _, calls, _ in TASKS for call in calls if call[0] == "("]
    yield ('<am:Amalthea xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" '
           'xmlns:am="http://app4mc.eclipse.org/amalthea/1.0.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n')
    yield "<swModel>\n"
    for name, period, calls, _ in TASKS:
        yield task(name, f"every_{period}_ms", calls)
    for name, asked in gpu_tasks:
        yield task(f"{name}_on_GPU", asked, [name])
    for name in TIMES:
        yield runnable(name)
    yield "</swModel>\n<hwModel>\n"
    for unit, kind in (("A57", "CPU"), ("Denver", "CPU"), ("GPU", "GPU")):
        yield f'<definitions xsi:type="am:ProcessingUnitDefinition" name="{unit}" puType="{kind}"/>\n'
    yield '<structures name="JetsonTX2">\n'
    for unit, count in UNITS:
        for i in range(count):
            yield (f'  <modules xsi:type="am:ProcessingUnit" name="{unit}_{i}" frequencyDomain="CPUs" '
                   f'definition="{unit}"/>\n')
    yield '  <modules xsi:type="am:ProcessingUnit" name="GP10B" frequencyDomain="GPUs" definition="GPU"/>\n</structures>\n'
    for domain, ghz in (("CPUs", CPU_GHZ), ("GPUs", GPU_GHZ)):
        yield (f'<domains xsi:type="am:FrequencyDomain" name="{domain}"><defaultValue value="{ghz}" unit="GHz"/>'
               "</domains>\n")
    yield "</hwModel>\n<stimuliModel>\n"
    for period in sorted({period for _, period, _, _ in TASKS}):
        yield (f'<stimuli xsi:type="am:PeriodicStimulus" name="every_{period}_ms"><recurrence value="{period}" '
               'unit="ms"/></stimuli>\n')
    yield "</stimuliModel>\n<eventModel>\n"
    for name, *_ in TASKS:
        yield f'<events xsi:type="am:ProcessEvent" name="{name}_ends" eventType="terminate" entity="{name}"/>\n'
    yield "</eventModel>\n<constraintsModel>\n"
    for chain in CHAINS:
        yield f'<eventChains name="{chain[0]} to DASM" stimulus="{chain[0]}_ends" response="{chain[-1]}_ends">\n'
        for one, next_one in zip(chain, chain[1:]):
            yield (f'  <items xsi:type="am:EventChainContainer"><eventChain name="part" stimulus="{one}_ends" '
                   f'response="{next_one}_ends"/></items>\n')
        yield "</eventChains>\n"
    yield "</constraintsModel>\n<mappingModel>\n"
    for name, _, _, core in TASKS:
        yield f'<taskAllocation task="{name}" affinity="{core}"/>\n'
    for name, _ in gpu_tasks:
        yield f'<taskAllocation task="{name}_on_GPU" affinity="GP10B"/>\n'
    yield "</mappingModel>\n</am:Amalthea>\n"


if __name__ == "__main__":
    print("".join(model()), end="")
