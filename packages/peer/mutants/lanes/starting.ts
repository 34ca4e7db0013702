import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** When a peer begins to read. */
export default {
  file: "packages/peer/src",
  test: "packages/peer/test/Starting.test.ts",
  mutants: [
    {
      name: "a-peer-that-starts-by-hand-reads-at-once",
      promise: 12,
      title: "reads nothing and answers nothing before, and everything after",
      find: `if (options.start !== "manual") lane.start()`,
      replace: `lane.start()`
    },
    {
      name: "a-peer-reads-before-its-layers-are-built",
      promise: 12,
      title: "are all built before it reads",
      find: `layer({ ...options, router, start: "manual" })`,
      replace: `layer({ ...options, router })`
    },
    {
      name: "peers-share-the-layers-over-them",
      promise: 23,
      title: "are built anew for each peer",
      find: `Layer.fresh(\n    Layer.effectDiscard(Peer.use(`,
      replace: `((layer: Layer.Layer<A | PeerService | Caller, E, any>) => layer)(\n    Layer.effectDiscard(Peer.use(`
    },
    {
      name: "a-server-starts-what-is-to-start-by-hand",
      promise: 12,
      title: "of a server waits for `onConnection` where it is to start by hand",
      find: `if (options.start !== "manual" || onConnection === undefined) yield* peer.start`,
      replace: `yield* peer.start`
    },
    {
      name: "a-server-to-start-by-hand-answers-nobody",
      promise: 12,
      title: "of a server without `onConnection` serves, also where it is to start by hand",
      find: `if (options.start !== "manual" || onConnection === undefined) yield* peer.start`,
      replace: `if (options.start !== "manual") yield* peer.start`
    },
    {
      name: "layers-end-before-their-peer-drains",
      promise: 19,
      title: "promise 19: end of input drains, and so does the end of a program, whose handlers keep their services",
      find: `Effect.acquireRelease(start, () => shutdown)`,
      replace: `Effect.as(start, shutdown)`
    },
    {
      name: "a-server-reads-before-on-connection",
      promise: 10,
      title: "of a server reads behind the first steps of `onConnection`",
      find: `Peer.make(transport, { ...options, router, start: "manual" })`,
      replace: `Peer.make(transport, { ...options, router })`
    },
    {
      name: "a-reconnecting-caller-reads-before-on-connect",
      promise: 10,
      title: "of a reconnecting caller reads behind the first steps of `onConnect`",
      find: `{ ...peer, start: "manual" }`,
      replace: `peer`
    },
    {
      name: "an-unstarted-peer-suspects-the-framing",
      promise: 12,
      title: "does not suspect the framing where a call runs out of time before",
      find: `this.traffic.handedOver = 0`,
      replace: `this.traffic.handedOver = 0; this.traffic.silentFraming = "line"`
    }
  ]
} satisfies Mutants
