import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conformance/src/internal/simulation/Verdict.ts",
  test: "packages/conformance/test/Simulation.test.ts",
  mutants: [
    {
      name: "simulation-counts-no-weight",
      promise: 17,
      find: "if (taken >= held ||",
      replace: "if (taken >= -1e9 ||",
      title: "that gives back weight which it did not take is found"
    },
    {
      name: "simulation-asks-nobody-who-waits",
      promise: 7,
      find: "if (stuck.length > 0)",
      replace: "if (stuck.length > 1_000)",
      title: "that loses responses is found"
    },
    {
      name: "simulation-lets-a-stream-wait-whatever-its-side-does",
      promise: 19,
      test: "packages/conformance/test/simulation/Restarts.test.ts",
      find: `hangs(work) || feed === "open" ||`,
      replace: `hangs(work) || feed !== "none" ||`,
      title: "that loses the end of a stream is found"
    },
    {
      name: "simulation-overlooks-notifications",
      promise: 13,
      find: "...(history.isHonest ? unhandled(setting) : [])",
      replace: "",
      title: "that loses notifications is found"
    },
    {
      name: "simulation-overlooks-what-goes-on",
      promise: 8,
      find: "if (history.isHonest) uncancelled(history)",
      replace: "",
      title: "that loses cancellations is found"
    },
    {
      name: "simulation-takes-any-result",
      promise: 7,
      find: "answered === n &&",
      replace: "",
      title: "that changes results is found"
    },
    {
      name: "simulation-misses-no-progress",
      promise: 11,
      find: "if (asked[what] < sent)",
      replace: "if (asked[what] < 0)",
      title: "that loses progress is found"
    }
  ]
} satisfies Mutants
