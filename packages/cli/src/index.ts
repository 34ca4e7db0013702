/** The endpoints of the `parley` command. @since 0.1.0 */
export * as Endpoint from "./Endpoint.ts"
