import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal",
  test: "packages/node/test/handshake.test.ts",
  mutants: [
    {
      name: "the-body-is-asked-for-before-anybody-is-known",
      promise: 6,
      title: "is asked before the client is told to send its body",
      find: `this.server.on("checkContinue", take)`,
      replace: ``
    },
    {
      name: "undecided-clients-take-no-place",
      promise: 17,
      title: "is interrupted when the client leaves, in order or not, and holds its place",
      find: `open + deciding.size < limits.connections`,
      replace: `open < limits.connections`
    },
    {
      name: "what-comes-too-early-is-lost",
      promise: 6,
      title: "loses nothing that the client sends while it is asked",
      find: `Buffer.concat(early)`,
      replace: `first`
    },
    {
      name: "a-challenge-writes-headers",
      promise: 6,
      title: "cannot be made to write a header of the client's",
      find: `const sound = isSound ? lines :`,
      replace: `const sound = lines ?? isSound ? lines :`
    },
    {
      name: "an-offer-of-another-protocol-is-an-upgrade",
      promise: 14,
      test: "packages/node/test/regression/offers.test.ts",
      title: "a request over",
      find: `if (!this.#isUpgrade(request)) return this.#decline(request, tcp, first)`,
      replace: ``
    },
    {
      name: "pages-reach-a-container",
      promise: 6,
      test: "packages/node/test/NodeWebSocket.refusals.test.ts",
      title: "a page that is not listed is refused at every address",
      find: `origins: access.origins ?? []`,
      replace: `origins: access.origins`
    }
  ]
} satisfies Mutants
