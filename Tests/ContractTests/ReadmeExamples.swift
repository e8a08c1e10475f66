import ImageContractTesting
import ImageMemoryCaching
import Testing

// The examples of README.md. Scripts/check-docs compares them line for line, so change both together.

private typealias MyImageCache = MemoryImageCache

@Suite struct MyImageCacheTests {
    @Test("obeys the contract of ImageCache", arguments: ImageCacheContract.rules)
    func obeysTheContract(rule: ContractRule<ImageCacheContract.Subject>) async throws {
        try await rule.check { byteLimit in MyImageCache(byteLimit: byteLimit) }
    }
}
