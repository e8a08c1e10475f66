import ImageContractTesting
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("The contract of FileSystem")
struct FileSystemContractTests {
    typealias Rule = ContractRule<FileSystemContract.Subject>

    @Test("the operating system passes", arguments: FileSystemContract.rules)
    func system(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { FileSystemFixture(fileSystem: POSIXFileSystem(), folder: folder.path + "/a/b") }
    }

    @Test("the simulated disk passes", arguments: FileSystemContract.rules)
    func simulatedDisk(_ rule: Rule) async throws {
        try await rule.check { FileSystemFixture(fileSystem: SimulatedDisk(), folder: "/a/b") }
    }

    @Test("the fault-injecting file system passes without faults", arguments: FileSystemContract.rules)
    func faultInjecting(_ rule: Rule) async throws {
        try await rule.check {
            FileSystemFixture(fileSystem: FaultInjectingFileSystem(over: SimulatedDisk()), folder: "/a/b")
        }
    }

    @Test("each rule fails for a file system that breaks it", arguments: BrokenFileSystem.Defect.allCases)
    func brokenDouble(_ defect: BrokenFileSystem.Defect) async throws {
        let rule = try #require(FileSystemContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check { FileSystemFixture(fileSystem: BrokenFileSystem(defect), folder: "/a/b") }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(FileSystemContract.rules.map(\.name)) == Set(BrokenFileSystem.Defect.allCases.map(\.rawValue)))
    }
}
