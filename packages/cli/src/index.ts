/** The specimen server and the endpoints of the `parley` command. @since 0.1.0 */
export * as Endpoint from "./Endpoint.ts"
export * as Specimen from "./Specimen.ts"
