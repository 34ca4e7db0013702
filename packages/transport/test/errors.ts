import { Excerpt } from "@parley/protocol/shared"
import { type Examples, foreign } from "../../../tools/errors/Example.ts"
import * as Handshake from "../src/Handshake.ts"
import * as Transport from "../src/Transport.ts"

export default {
  Refused: {
    names: { tenant: foreign },
    make: (foreign) =>
      new Handshake.Refused({ status: 403, message: `The tenant ${Excerpt.line(foreign)} may not use this server.` })
  },
  TransportError: {
    names: { what: "the connection", cause: foreign },
    make: (foreign) => Transport.transportError({ _tag: "Lost", cause: new Error(foreign) })
  }
} satisfies Examples
