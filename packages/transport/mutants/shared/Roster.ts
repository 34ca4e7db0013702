import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/shared/Roster.ts",
  test: "packages/transport/test/shared/Roster.test.ts",
  mutants: [
    {
      name: "who-leaves-a-roster-keeps-its-neighbours",
      promise: 8,
      find: `member.earlier = undefined member.later = undefined`,
      replace: ``
    },
    {
      name: "the-last-of-a-roster-stays-the-last",
      promise: 8,
      find: `if (later === undefined) this.#last = earlier`,
      replace: `if (later === undefined) void earlier`
    },
    {
      name: "who-leaves-a-roster-is-looked-for",
      promise: 8,
      find: `this.size--`,
      replace: `for (let one = this.first; one !== member; one = one?.later); this.size--`
    }
  ]
} satisfies Mutants
