import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src",
  test: "packages/transport/test/Listener.test.ts",
  mutants: [
    {
      name: "listener-without-limit",
      promise: 17,
      find: `leaving === undefined && this.#taken >= connections`,
      replace: `leaving === undefined && this.#taken > connections`,
      test: "packages/transport/test/MemoryTransport.test.ts",
      title: "connections beyond the limit are closed at once"
    },
    {
      name: "listener-closes-a-busy-connection",
      promise: 17,
      find: `if (!first.isBusy && first.need === first.idleSince) return first`,
      replace: `if (first.need === first.idleSince) return first`,
      title: "never closes one that is marked as busy"
    },
    {
      name: "who-is-silent-holds-its-place",
      promise: 17,
      find: `longest(silent, now - silentTime)`,
      replace: `longest(silent, now - idleTime)`
    },
    {
      name: "a-silent-client-speaks-by-what-it-is-sent",
      promise: 17,
      find: `is no text of the client.
    this.touch()`,
      replace: `is no text of the client.
    this.speak()`,
      title: "takes what it sends to a silent client"
    },
    {
      name: "a-silent-client-at-work-is-closed",
      promise: 17,
      find: `longest(silent, now - silentTime)`,
      replace: `(silent.first !== undefined && silent.first.need <= now - silentTime ? silent.first : undefined)`,
      title: "takes what it sends to a silent client"
    },
    {
      name: "traffic-is-not-seen-by-who-needs-a-place",
      promise: 17,
      find: `first.need === first.idleSince) return first`,
      replace: `true) return first`,
      title: "closes the connection that has been idle longest"
    },
    {
      name: "an-address-takes-all-places",
      promise: 17,
      find: `perAddress !== undefined && this.#from(from) >= perAddress`,
      replace: `perAddress !== undefined && this.#from(from) < 0`,
      title: "gives an address its share"
    },
    {
      name: "each-refused-connection-has-a-line",
      promise: 17,
      find: `if (lines >= perMinute)`,
      replace: `if (lines > 1_000)`,
      title: "tells of refused connections in ten lines a minute"
    }
  ]
} satisfies Mutants
