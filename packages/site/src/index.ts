export * as Contents from "./Contents.ts"
export * as Page from "./Page.ts"
export * as Site from "./Site.ts"
