import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp-gateway/test/texts/digits.test.ts",
  mutants: [
    {
      name: "a-gateway-rounds-what-it-is-sent",
      promise: 2,
      title: "are those that came: ",
      find: `const relays = () => !state.mounts.isEmpty`,
      replace: `const relays = () => false`
    },
    {
      name: "a-sealed-result-forgets-the-digits-of-its-meta",
      promise: 2,
      title: "are those that came: ",
      find: `Relayed.carry({ [serverInfoKey]: serverInfo, ...meta }, meta)`,
      replace: `{ [serverInfoKey]: serverInfo, ...meta }`
    },
    {
      name: "a-handler-beside-a-server-is-given-infinity",
      promise: 14,
      title: "are doubles for a handler beside it",
      find: `bound.feature.relays !== true && Relayed.isBeyondDoubles(call.call.params)`,
      replace: `bound.feature.relays !== true && false`
    }
  ]
} satisfies Mutants
