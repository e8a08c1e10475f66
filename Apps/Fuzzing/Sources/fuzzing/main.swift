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
// FUZZ_TARGET=png fuzzing --seeds FOLDER   writes the files to start from
// FUZZ_TARGET=png,gif …                    does with each input what both targets do
// fuzzing --targets                        names the targets for which there is something to fuzz

/// Set once, before libFuzzer is started, because the C function that it calls can't capture.
nonisolated(unsafe) var examine: (Data) throws(ContractViolation) -> Void = { _ in }  // read on the main thread alone

func fuzz(_ check: @escaping (Data) throws(ContractViolation) -> Void) -> Int32 {
    unsafe examine = check
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    return unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        let data = unsafe Data(UnsafeBufferPointer(start: bytes, count: count))
        do throws(ContractViolation) {
            unsafe try examine(data)
        } catch {
            fatalError("a promise is broken: \(error)")  // a crash is the one thing that libFuzzer takes for a finding
        }
        return 0
    }
}

func writeSeeds(for targets: [FuzzTarget], to folder: String) throws {
    for seed in try targets.flatMap({ try $0.seeds() }) {
        try seed.data.write(to: URL(filePath: "\(folder)/\(seed.name)"))
    }
}

/// The targets that the environment names, or nil when one of them is none.
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
        print("FUZZ_TARGET must be one of the targets that `fuzzing --targets` names, or several with commas between")
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
