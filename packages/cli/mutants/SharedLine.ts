import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/proxy/SharedLine.ts",
  test: "packages/cli/test/SharedLine.test.ts",
  mutants: [
    {
      name: "shared-line-keeps-its-own-ids",
      promise: 3,
      find: `Splice.mapIds(text.trim(), () => slot.id)`,
      replace: `text.trim()`,
      title: "numbers the requests of all clients anew"
    },
    {
      name: "shared-line-remembers-who-has-gone",
      promise: 8,
      find: `mine.forEach((number) => line.waiting.delete(number))`,
      replace: `mine.splice(0)`,
      title: "forgets a client that goes away"
    },
    {
      name: "shared-line-blames-anybody",
      promise: 7,
      find: `post === undefined || slots.some(([, slot]) => slot.post !== post)`,
      replace: `post === undefined`,
      title: "gives an error without an id to the one text that waits"
    },
    {
      name: "shared-line-blames-what-has-an-answer",
      promise: 7,
      find: `Batch.isGeneral(member) === general`,
      replace: `!general`,
      title: "an error without an id in a batch is no answer"
    },
    {
      name: "shared-line-cancels-requests-of-others",
      promise: 8,
      find: ` && !cancellations.has(message.method)`,
      replace: ``,
      title: "passes no cancellation on"
    },
    {
      name: "shared-line-passes-no-message-on",
      promise: 14,
      find: `const post = new Post(members)`,
      replace: `const post = new Post([])`,
      title: "answers what is no message itself"
    }
  ]
} satisfies Mutants
