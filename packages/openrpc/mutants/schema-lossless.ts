import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/schema",
  test: "packages/openrpc/test/notices.test.ts",
  mutants: [
    {
      name: "openrpc-closed-objects-open-in-silence",
      promise: 2,
      find: `if (read["additionalProperties"] === false) {`,
      replace: `if (false) {`,
      title: "of an object that becomes open"
    },
    {
      name: "openrpc-unknown-members-never-stay",
      promise: 2,
      find: `keepsUnknown && isOfObjects(schema)`,
      replace: `false`,
      title: "of an object keeps the members that no keyword describes, if it is told"
    },
    {
      name: "openrpc-alternatives-lose-members",
      promise: 2,
      find: `if (areApart || isKept || !pairs.some`,
      replace: `if (true || !pairs.some`,
      title: "keeps members where a value fits two alternatives"
    },
    {
      name: "openrpc-two-ways-to-describe-a-member-are-one",
      promise: 2,
      find: `if (facts.disagree(members)) return undefined`,
      replace: ``,
      title: "checks nothing where two alternatives"
    },
    {
      name: "openrpc-members-of-an-unchecked-keyword-are-lost",
      promise: 2,
      find: `if (!isKept && hides(shape))`,
      replace: `if (false)`,
      title: "keeps the members that only an unchecked keyword describes"
    },
    {
      name: "openrpc-unchecked-in-silence",
      promise: 2,
      find: "for (const keyword of keywords) lose(path, `${keyword} is not checked`)",
      replace: ``,
      title: "says that it does not check"
    }
  ]
} satisfies Mutants
