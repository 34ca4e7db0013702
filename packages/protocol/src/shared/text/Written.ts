/**
 * JSON values whose text is written once, for long results that answer many calls, such as the lists of an MCP server.
 *
 * ```ts run
 * import { Written } from "@parley/protocol/shared"
 *
 * const tools = Written.keep({ tools: [{ name: "add" }] })
 *
 * console.log(Written.textOf(tools)) // => {"tools":[{"name":"add"}]}
 * console.log(Written.textOf({ tools: [] })) // => undefined
 * console.log(Written.textOf(Written.wrap({ page: 1, result: tools }))) // => {"page":1,"result":{"tools":[{"name":"add"}]}}
 * ```
 *
 * @since 0.1.0
 */
export { copy, keep, keptText as textOf, wrap } from "../../internal/text.ts"
