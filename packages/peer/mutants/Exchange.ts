import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/ExchangeCaller.ts",
  test: "packages/peer/test/Exchange.test.ts",
  mutants: [
    {
      name: "a-cancelled-exchange-is-not-told-of",
      promise: 8,
      test: "packages/peer/test/Asked.test.ts",
      find: `if (correlator.forget(call)) tell(posting, call)`,
      replace: `correlator.forget(call)`
    },
    {
      name: "a-stream-beside-the-exchanges-settles-nothing",
      promise: 7,
      test: "packages/peer/test/Asked.test.ts",
      find: `posting === undefined || posting.owns(id)`,
      replace: `posting?.owns(id) === true`
    },
    {
      name: "an-answer-settles-the-call-of-another-exchange",
      promise: 7,
      title: "a response belongs to its exchange",
      find: `if (mayEnd(posting, response.id) && correlator.settle(response)) return`,
      replace: `if (correlator.settle(response)) return`
    },
    {
      name: "an-exchange-goes-on-when-its-call-is-over",
      promise: 8,
      find: `if (!Posting.isAnswered(outcome)) return posting.fiber?.interruptUnsafe()`,
      replace: ``
    },
    {
      name: "an-exchange-never-ends-behind-the-response",
      promise: 8,
      title: "an exchange that goes on behind the response",
      find: `      if (posting.fiber !== undefined && posting.line === undefined) sweeper.set(posting, linger)\n`,
      replace: ``
    },
    {
      name: "closing-leaves-the-exchanges",
      promise: 9,
      find: `    for (const posting of [...live]) posting.fiber?.interruptUnsafe()\n`,
      replace: ``
    },
    {
      name: "an-answer-without-a-response-is-not-noticed",
      promise: 7,
      title: "a batch is one exchange",
      find: `      if (posting.open > 0) failAll(posting, exit)\n`,
      replace: ``
    },
    {
      name: "an-error-without-id-settles-calls-that-have-an-answer",
      promise: 7,
      title: "an error without id in a batch is no answer",
      find: `if (!Batch.isGeneral(member)) deliverOne(posting, member)`,
      replace: `deliverOne(posting, member)`
    },
    {
      name: "a-pause-holds-nothing-over-exchanges",
      promise: 18,
      title: "a pause holds a stream of partial results",
      find: `if (isHeldBack(posting))`,
      replace: `if (isClosed)`
    }
  ]
} satisfies Mutants
