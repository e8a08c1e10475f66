import CLibFuzzer
import FoundationEssentials
import GeneratedImages
import ImageContractTesting

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// FUZZ_TARGET=png fuzzing OPTION…          runs libFuzzer with these options
// FUZZ_TARGET=png fuzzing --seeds FOLDER   writes the initial corpus
// FUZZ_TARGET=png,gif …                    runs both targets on each input
// fuzzing --targets                        prints the available targets

/// The check of each input. A global, because the C callback of libFuzzer can't capture.
nonisolated(unsafe) var checkInput: (Data) throws(ContractViolation) -> Void = { _ in }  // used on the main thread only

/// Returns bytes in memory of exactly their size, so that AddressSanitizer sees a read of the byte after them. `Data` rounds
/// the size of its own memory up, and keeps small contents in the value.
func exactData(_ bytes: UnsafePointer<UInt8>?, count: Int) -> Data? {
    guard let bytes = unsafe bytes, let copy = unsafe malloc(count) else { return nil }
    unsafe memcpy(copy, bytes, count)
    return unsafe Data(bytesNoCopy: copy, count: count, deallocator: .free)
}

func fuzz(_ check: @escaping (Data) throws(ContractViolation) -> Void) -> Int32 {
    unsafe checkInput = check
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    return unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        guard let data = unsafe exactData(bytes, count: count) else { return -1 }
        do throws(ContractViolation) {
            unsafe try checkInput(data)
        } catch {
            fatalError("a promise is broken: \(error)")  // libFuzzer only reports crashes
        }
        return 0
    }
}

func writeSeeds(for targets: [FuzzTarget], to folder: String) throws {
    for seed in try targets.flatMap({ try $0.seeds() }) {
        try seed.data.write(to: URL(filePath: "\(folder)/\(seed.name)"))
    }
}

/// Returns the targets in the environment variable FUZZ_TARGET, or nil if one of them is unknown.
func namedTargets() -> [FuzzTarget]? {
    let names = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0).split(separator: ",") } ?? []
    let targets = names.compactMap { FuzzTarget(rawValue: String($0)) }
    return targets.count == names.count && !targets.isEmpty ? targets : nil
}

func run() throws -> Int32 {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments == ["--targets"] {
        for target in FuzzTarget.allCases where target.check != nil { print(target.rawValue) }
        return 0
    }
    let targets = namedTargets() ?? []
    let checks = targets.compactMap(\.check)
    guard !targets.isEmpty, checks.count == targets.count else {
        print("FUZZ_TARGET must be a target printed by `fuzzing --targets`, or several, separated by commas")
        return 2
    }
    if arguments.count == 2, arguments.first == "--seeds", let folder = arguments.last {
        try writeSeeds(for: targets, to: folder)
        return 0
    }
    return fuzz { data throws(ContractViolation) in
        for check in checks { try check(data) }
    }
}

exit(try run())
