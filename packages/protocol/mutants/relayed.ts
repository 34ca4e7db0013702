import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/shared/text/Relayed.ts",
  test: "packages/protocol/test/shared/Relayed.test.ts",
  mutants: [
    {
      name: "a-changed-member-is-written-as-it-came",
      promise: 2,
      title: "writes what a member has become",
      find: `if (Object.hasOwn(copy, key) && isStill(Reflect.get(copy, key), value))`,
      replace: ``
    },
    {
      name: "a-copy-forgets-its-digits",
      promise: 2,
      title: "is remembered by a copy that says so",
      find: `if (texts !== undefined) attach(copy,`,
      replace: `if (texts === undefined) attach(copy,`
    },
    {
      name: "numbers-beyond-doubles-are-not-noticed",
      promise: 2,
      title: "has doubles for whoever looks at them",
      find: `if (isBeyondDoubles(value)) beyond.add(container)`,
      replace: ``
    }
  ]
} satisfies Mutants
