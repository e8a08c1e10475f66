import ImageContractTesting
import Testing

@Suite("The rules of all contracts")
struct BrokenDoubleTests {
    private static let rules: [(names: [String], broken: [String])] = [
        (ConditionMonitorContractTests.rules.map(\.name), BrokenConditionMonitor.Defect.allCases.map(\.rawValue)),
        (DataCacheContract.rules.map(\.name), BrokenDataCache.Defect.allCases.map(\.rule)),
        (DataCacheTransformContractTests.rules.map(\.name), BrokenTransform.Defect.allCases.map(\.rawValue)),
        (DataEncryptionContract.rules.map(\.name), BrokenEncryption.Defect.allCases.map(\.rawValue)),
        (DataTransportContract.faultRules.map(\.name), FaultBlindTransport.Defect.allCases.map(\.rawValue)),
        (DataTransportContractTests.remoteRules.map(\.name), BrokenTransport.Defect.allCases.map(\.rawValue)),
        (HTTPCachePolicyContract.rules.map(\.name), BrokenPolicy.Defect.allCases.map(\.rawValue)),
        (ImageCacheContractTests.allRules.map(\.name), BrokenImageCache.Defect.allCases.map(\.rule)),
        (ImageDecoderContract.rules.map(\.name), BrokenDecoder.Defect.allCases.map(\.rawValue)),
        (ImageEncoderContract.rules.map(\.name), BrokenEncoder.Defect.allCases.map(\.rawValue)),
        (ImageLoaderContract.rules.map(\.name), BrokenLoader.Defect.allCases.map(\.rule)),
        (ImageProcessorContract.rules.map(\.name), BrokenProcessor.Defect.allCases.map(\.rawValue)),
        (RequestCoalescerContract.rules.map(\.name), BrokenCoalescer.Defect.all.flatMap(\.brokenRules)),
        (ResponseCacheContract.rules.map(\.name), BrokenResponseCache.Defect.allCases.map(\.rawValue)),
        (WorkSchedulerContract.rules.map(\.name), BrokenScheduler.Defect.allCases.flatMap(\.brokenRules)),
    ]

    @Test("there is a broken double for each rule", arguments: rules)
    func areComplete(names: [String], broken: [String]) { #expect(Set(names) == Set(broken)) }
}
