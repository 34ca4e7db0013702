import { Address } from "@parley/http/shared"
import { type Examples, foreign } from "../../../tools/errors/Example.ts"

export default {
  PrivateAddress: {
    names: { host: foreign },
    make: (foreign) => new Address.PrivateAddress({ host: foreign })
  }
} satisfies Examples
