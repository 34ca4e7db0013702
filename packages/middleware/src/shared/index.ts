/** What the packages of Parley share. Programs have no reason to import it, and it may change in any release. @since 0.1.0 */
export * as CallSpan from "./CallSpan.ts"
