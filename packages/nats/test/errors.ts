import { NatsError } from "@parley/nats/NatsClient"
import type { Examples } from "../../../tools/errors/Example.ts"

export default {
  NatsError: {
    names: { subject: "127.0.0.1:4222", detail: "no such thing" },
    make: (foreign) => new NatsError({ subject: "127.0.0.1:4222", reason: { _tag: "Unauthorized", detail: foreign } })
  }
} satisfies Examples
