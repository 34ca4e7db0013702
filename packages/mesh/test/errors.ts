import { Claimed, Fenced, NoOwner, Overloaded, OwnerGone } from "@parley/mesh/Mesh"
import type { Examples } from "../../../tools/errors/Example.ts"

export default {
  Claimed: {
    names: { key: "session/1", owner: "b-4f1c" },
    make: () => new Claimed({ key: "session/1", owner: "b-4f1c" })
  },
  Fenced: {
    names: { key: "session/1", epoch: "3", newest: "5" },
    make: () => new Fenced({ key: "session/1", epoch: 3, newest: 5 })
  },
  NoOwner: {
    names: { key: "session/1" },
    make: () => new NoOwner({ key: "session/1" })
  },
  Overloaded: {
    names: { key: "session/1", reason: "no such thing" },
    make: (foreign) => new Overloaded({ key: "session/1", reason: foreign })
  },
  OwnerGone: {
    names: { key: "session/1", node: "b-4f1c" },
    make: () => new OwnerGone({ key: "session/1", node: "b-4f1c", sent: true })
  }
} satisfies Examples
