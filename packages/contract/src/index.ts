/** One definition of methods: the typed client, the server, the dialect. @since 0.1.0 */
export * as Contract from "./Contract.ts"
export * as ContractPair from "./ContractPair.ts"
export * as Digits from "./Digits.ts"
export * as Method from "./Method.ts"
export * as Notification from "./Notification.ts"
export * as Subscription from "./Subscription.ts"
