import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mesh/src",
  test: "packages/mesh/test/simulation.test.ts",
  mutants: [
    {
      name: "a-text-that-may-have-run-counts-as-not-sent",
      promise: 9,
      find: `Exit.fail(new OwnerGone({ key: at, node, sent: true }))`,
      replace: `Exit.fail(new OwnerGone({ key: at, node, sent: false }))`,
      title: "lose no call in silence"
    },
    {
      name: "an-engine-lets-all-keep-their-keys",
      promise: 9,
      find: `return isNewer || owner?.epoch === ownership.epoch`,
      replace: `return isNewer || owner?.epoch !== -1`,
      title: "lose no call in silence"
    },
    {
      name: "an-answer-may-lack-a-text",
      promise: 9,
      find: `if (place !== this.#next) return false`,
      replace: `if (place < this.#next) return false`,
      title: "lose no call in silence"
    },
    {
      name: "a-silent-node-is-not-given-up",
      promise: 7,
      find: `if (this.#answering.isSilentSince(node, since))`,
      replace: `if (this.#answering.isSilentSince(node, 0))`,
      title: "lose no call in silence"
    }
  ]
} satisfies Mutants
